"""The article on Pegasos and sentiment: three classifiers of texts, and decision surfaces in the plane."""

from ...report.study_report import Context, Report


def run(context: Context) -> Report:
    """Run the study."""
    from . import plane_experiments, sentiment_report, text_experiments

    corpus = text_experiments.find(context.data)
    found = text_experiments.run(context, corpus)
    return sentiment_report.report(corpus, found, plane_experiments.run_planes(context))
