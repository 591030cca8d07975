"""Names lead to their API pages, API pages to their page of the guide, and that page back.

`SDCAClassifier` in backquotes, or `fastsvm.SDCAClassifier`, or `SDCAClassifier.fit`, becomes a link.
"""

import re

from docutils import nodes
from sphinx import addnodes

API = "reference/generated/"
COMMANDS = "reference/commands/"
# The page of the guide for a class or function, or for all others of a package.
GUIDES = {
    "fastsvm": "guide/which_solver",
    "fastsvm.SDCAClassifierCV": "guide/which_solver",
    "fastsvm.SDCAPath": "guide/which_solver",
    "fastsvm.sdca_path": "guide/which_solver",
    "fastsvm.certify": "guide/certify",
    "fastsvm.Certificate": "guide/certify",
    "fastsvm.ConvergenceWarning": "guide/certify",
    "fastsvm.KernelFeatures": "guide/kernel",
    "fastsvm.KernelPegasosClassifier": "guide/kernel",
    "fastsvm.KernelSDCAClassifier": "guide/kernel",
    "fastsvm.KernelSDCAClassifierCV": "guide/kernel",
    "fastsvm.kernel_pegasos_grid": "guide/kernel",
    "fastsvm.ModelFileError": "guide/deployment",
    "fastsvm.load_model": "guide/deployment",
    "fastsvm.save_model": "guide/deployment",
    "fastsvm.show_versions": "install",
    "fastsvm.dask": "guide/scale",
    "fastsvm.drop_in": "guide/coming_from",
    "fastsvm.fitting": "guide/which_solver",
    "fastsvm.fitting.Calibration": "guide/improve_text",
    "fastsvm.fitting.KernelPegasos": "guide/kernel",
    "fastsvm.fitting.KernelSDCA": "guide/kernel",
    "fastsvm.fitting.SDCAPath": "guide/which_solver",
    "fastsvm.fitting.sdca_path": "guide/which_solver",
    "fastsvm.io": "guide/scale",
    "fastsvm.model_files": "guide/deployment",
    "fastsvm.onnx": "guide/deployment",
    "fastsvm.solvers": "guide/which_solver",
    "fastsvm.solvers.KernelResult": "guide/kernel",
    "fastsvm.solvers.kernel_pegasos": "guide/kernel",
    "fastsvm.solvers.kernel_sdca": "guide/kernel",
    "fastsvm.text": "guide/vectorisers",
    "fastsvm_apps.cells": "guide/cells",
    "fastsvm_apps.sentiment": "guide/text",
    "fastsvm_apps.studies.race": "start/studies",
}
INNER = ("fastsvm.fitting", "fastsvm.solvers", "fastsvm.model_files")  # for those who build on the library
THEIRS = ("Pipeline",)  # of scikit-learn, as are the names of fastsvm.drop_in


def guide_of(name):
    """Return the page of the guide of a class or function, or None."""
    return GUIDES.get(name) or GUIDES.get(name.rpartition(".")[0])


def link_to_guide(app, what, name, thing, options, lines):
    """Name the guide after the first paragraph of a docstring. A method has no page."""
    if what in ("module", "class", "exception", "function", "data") and guide_of(name):
        text = "\n".join(lines).strip()
        first, _, rest = text.partition("\n\n")
        lines[:] = [*first.split("\n"), "", f"Guide: :doc:`/{guide_of(name)}`", "", *rest.split("\n")]


def api_names(env, package):
    """Return the place of each text that is a name on a page about `package`, and of each full name."""
    pages = {page.removeprefix(API): (page, "") for page in sorted(env.found_docs) if page.startswith(API)}
    packages = {name.rpartition(".")[0] for name in pages}
    members = {name: name.rpartition(".")[2] for name in pages if name not in packages}
    entries = env.domains["py"].objects.items()
    objects = {name: (entry.docname, f"#{entry.node_id}") for name, entry in entries}
    found = {}
    for name, place in sorted((objects | pages).items(), key=lambda item: -item[0].count(".")):
        parts = name.split(".")
        found |= {".".join(parts[start:]): place for start in range(len(parts) - 1)}
    for name, short in members.items():  # `train` is a command, and `SVC` is scikit-learn's
        theirs = short in THEIRS or f"fastsvm.drop_in.{short}" in pages
        if (short != short.lower() or "_" in short) and not theirs:
            found[short] = pages[name]
    for page in env.found_docs:
        if page.startswith(COMMANDS):
            found[env.titles[page].astext()] = (page, "")
    found.pop("fastsvm", None)  # the library
    for home in ("fastsvm", package):
        found |= {short: pages[name] for name, short in members.items() if name == f"{home}.{short}"}
    return found, {name: pages[name] for name in members}


def link_names(app, tree, docname):
    """Make links of the names in backquotes, and end a page of the guide with the names that lead to it."""
    package = docname.removeprefix(API).rpartition(".")[0]
    if docname == GUIDES["fastsvm.drop_in"]:
        package = "fastsvm.drop_in"
    found, members = api_names(app.env, package)

    def link(place, shown):
        uri = app.builder.get_relative_uri(docname, place[0]) + place[1]
        return nodes.reference("", "", shown, internal=True, refuri=uri)

    for literal in [*tree.findall(nodes.literal)]:
        place = found.get(re.sub(r"\(.*\)$", "", literal.astext()))
        inside = (nodes.title, nodes.reference, addnodes.desc_signature)
        if place and place[0] != docname and not any(isinstance(node, inside) for node in parents(literal)):
            literal.replace_self(link(place, literal.deepcopy()))

    here = [name for name in members if guide_of(name) == docname]
    inside = [name for name in here if name.rpartition(".")[0] in INNER]
    names = nodes.paragraph(), nodes.paragraph()
    for name in here:
        shown = nodes.literal("", name if name in inside else name.removeprefix("fastsvm."))
        names[name in inside].extend([link(members[name], shown), nodes.Text(" ")])
    found = [nodes.rubric("", "In the reference"), names[0]] if here else []
    if inside:
        found.append(nodes.raw("", "<details><summary>Parts of these</summary>", format="html"))
        found += [names[1], nodes.raw("", "</details>", format="html")]
    next(tree.findall(nodes.section), nodes.section()).extend(found)


def parents(node):
    """Yield what a node is in, from the inside."""
    while node := node.parent:
        yield node


def setup(app):
    """Sphinx calls this."""
    app.connect("autodoc-process-docstring", link_to_guide, priority=950)  # after numpydoc
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
