"""The article on Pegasos and sentiment: three classifiers of texts, and decision surfaces in the plane."""

from ..frame.context import Context
from ..frame.report import Report


def run(context: Context) -> Report:
    """Run the study."""
    from . import planes, reporting, texts

    corpus = texts.find(context.data)
    return reporting.report(corpus, texts.run(context, corpus), planes.run(context))
