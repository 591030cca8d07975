"""The report: claims, tables and pictures of what was found."""

from collections.abc import Sequence

from ...report.study_report import Report
from . import plane_claims, sentiment_tables, surface_figures, text_claims, text_figures
from .plane_experiments import ALPHA, APART, PASSES, WIDTH, Surfaces
from .text_experiments import ARTICLES_TEXTS, Corpus, TextFindings

TITLE = "Pegasos, from points in the plane to sentiment"
DOCUMENT = (
    "Implementing PEGASOS: Primal Estimated sub-GrAdient SOlver for SVM, Logistic Regression and Application "
    "in Sentiment Classification (in Python), an article"
)


def report(corpus: Corpus, found: TextFindings | None, planes: Sequence[Surfaces | str]) -> Report:
    """Put the report together.

    Parameters
    ----------
    corpus : Corpus
    found : TextFindings or None
        What was found of it; None where there are no texts.
    planes : sequence
        What was found in the plane, or why nothing was.
    """
    there = [each for each in planes if isinstance(each, Surfaces)]
    made = Report(
        "sentiment", TITLE, DOCUMENT, _data_sentence(corpus, found, there), _report_settings(found, there)
    )
    made.claims = text_claims.of_texts(corpus, found) + plane_claims.of_planes(planes)
    if found is not None:
        made.figures += text_figures.text_figures(found)
        made.tables += sentiment_tables.of_texts(found)
    made.figures += surface_figures.surface_figures(there)
    made.tables.append(sentiment_tables.of_planes(there))
    return made


def _data_sentence(corpus: Corpus, found: TextFindings | None, planes: Sequence[Surfaces]) -> str:
    texts = corpus.why
    if found is not None:
        whose = f"of the article's {ARTICLES_TEXTS:,}" if corpus.is_articles else "that are generated"
        texts = f"{found.description.n_texts:,} reviews {whose}."
    return f"{texts} In the plane: {'; '.join(each.plane.title for each in planes)}."


def _report_settings(found: TextFindings | None, planes: Sequence[Surfaces]) -> dict[str, object]:
    settings: dict[str, object] = {}
    if found is not None:
        known = found.comparison
        settings = {
            "splits": "{} into {:,} and {:,}, as train_test_split".format(
                known.seconds.shape[1], *known.sizes
            ),
            "features": "counts of single words, the best 5,000 by the F statistic of the training texts",
            "to the letter": "rows with replacement, 10 steps a text, last iterate, no intercept",
            "lambda": ", ".join(f"{alpha:g} ({name})" for name, alpha in text_claims.LAMBDAS.items()),
            "default": f"what train makes by default; recipe chosen on the first split: {known.recipe}",
        }
    runs = len(planes[0].accuracies)
    return {
        **settings,
        "plane": f"{runs} runs, 80 % trained on, {PASSES} steps a point, lambda {ALPHA:g}",
        "overlap": f"200 points, two clouds {2 * APART:g} standard deviations apart, no intercept",
        "gaussian": f"exp(-||x - z||² / (2 · {WIDTH:g})), standardised points",
    }
