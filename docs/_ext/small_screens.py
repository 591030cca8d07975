"""On a small screen the rows of a wide table are cards; site.css has their look."""

from docutils import nodes

WIDE = 3  # columns


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


def setup(app):
    """Sphinx calls this."""
    app.connect("doctree-resolved", name_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
