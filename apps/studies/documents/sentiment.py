"""The article on Pegasos and sentiment: three classifiers of texts, and decision surfaces in the plane."""

from ..report.study_report import Context, Report
from .sentiment_planes import add_planes
from .sentiment_texts import add_texts

DOCUMENT = (
    "Implementing PEGASOS: Primal Estimated sub-GrAdient SOlver for SVM, Logistic Regression and Application "
    "in Sentiment Classification (in Python), an article"
)


def run(context: Context) -> Report:
    """Run the study."""
    report = Report("Pegasos, from points in the plane to sentiment", DOCUMENT, "")
    add_texts(report, context)
    add_planes(report, context)
    return report
