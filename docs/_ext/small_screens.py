"""On a small screen the rows of a wide table are cards, and commands break between options: see site.css."""

import re

from docutils import nodes

WIDE = 3  # columns
COMMANDS = re.compile(r'(?s)(<div class="highlight-(?:sh|console).{,80}<pre><span></span>)(.*?)(?=\n</pre>)')
SPACE = '<span class="w"> </span>'
VALUE = r'(?:<span class="[ms]\w*">[^<]*</span>|[^<\s-][^<\s]*)+'
STRING = '<span class="s2">[^<]*</span>'
OPTION = re.compile(rf"(?<={SPACE})((?:--?\w[\w-]*|\.|&gt;)(?:{SPACE}{VALUE})?|{STRING})")


def name_cells(app, tree, name):
    """Give each cell of a wide table the name of its column, which only cards show."""
    for table in tree.findall(nodes.table):
        head_row = next(table.findall(nodes.thead), nodes.thead())
        heads = [entry.astext() for entry in head_row.findall(nodes.entry)]
        if len(heads) < WIDE:
            continue
        table["classes"].append("verdicts" if heads[0] == "verdict" else "cards")
        for row in next(table.findall(nodes.tbody)).children:
            for entry, head in zip(row.children, heads, strict=True):
                if not entry.astext():
                    entry["classes"].append("empty")
                elif head and entry is not row.children[0]:
                    entry[0].insert(0, nodes.inline("", f"{head}: ", classes=["column"]))


def mark_options(app, name, template, context, tree):
    """Mark the lines of commands, and in them each option with its value, which stay together."""

    def mark_line(line):
        line = OPTION.sub(r'<span class="option">\1</span>', line)
        is_whole = line.count("<span") == line.count("</span")  # strings may have several lines
        return f'<span class="command">{line}</span>' if is_whole else line

    def mark(block):
        return block[1] + "\n".join(map(mark_line, block[2].split("\n")))

    if "body" in context:
        context["body"] = COMMANDS.sub(mark, context["body"])


def setup(app):
    """Sphinx calls this."""
    app.connect("doctree-resolved", name_cells)
    app.connect("html-page-context", mark_options)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
