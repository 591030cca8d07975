"""What search engines, screen readers and the search of the site learn about a page."""

from html import escape
from textwrap import shorten

from docutils import nodes
from sphinx.addnodes import desc_content

UNSEARCHED = ("internals/", "measurements/")  # long, and not for a reader with a task


def leave_out(app, tree):
    """Leave the pages of UNSEARCHED out of the search, but for their titles."""
    if app.env.docname.startswith(UNSEARCHED):
        app.env.metadata[app.env.docname]["nosearch"] = True


def is_text(node):
    """Whether a node is a paragraph of the page itself, not of a note or table, or the help of a command."""
    is_block = isinstance(node, (nodes.paragraph, nodes.literal_block))
    return is_block and isinstance(node.parent, (nodes.section, desc_content)) and "." in node.astext()


def describe(app, name, template, context, tree):
    """Describe a page by its first paragraph."""
    first = tree and next(tree.findall(is_text), None)
    if first:
        text = escape(shorten(first.astext(), 160, placeholder="..."))
        context["metatags"] += f'<meta name="description" content="{text}">\n'


def describe_thumbnails(app, tree, name):
    """Give the pictures of the gallery the title of what they lead to."""
    for image in tree.findall(nodes.image):
        if not image.get("alt"):
            image["alt"] = image.next_node(nodes.reference, siblings=True, ascend=True).astext()


def setup(app):
    """Sphinx calls this."""
    app.connect("doctree-read", leave_out)
    app.connect("doctree-resolved", describe_thumbnails)
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
