"""Pictures of the classifiers of texts, and of the texts."""

from ...common.matplotlib_figures import OKABE_ITO
from ...sentiment.measures.term_effects import top_words
from ...sentiment.output import top_words_output
from ..frame.study_report import Figure
from . import drawing
from .text_claims import LAMBDAS, NAMES
from .text_comparison import ARTICLE
from .text_experiments import (
    ALPHAS,
    ARTICLES_COLUMNS,
    ARTICLES_TRAINING,
    TUNED,
    WORDS,
    Found,
    expected_columns,
)


def figures(found: Found) -> list[Figure]:
    """Return the pictures."""
    known = found.comparison
    pictures = [
        Figure(
            "classifiers",
            "How accurate the classifiers are, and how long they take",
            "The article's three as averages and to the letter, and two others for scale. Small dots are "
            "single splits; the middle panel has paired differences.",
            lambda sheet: drawing.draw_comparison(sheet, known),
            size=drawing.size_of_comparison(known),
            source="figures f41 to f43",
        ),
        Figure(
            "lambda",
            "What lambda does",
            "Mean accuracy over the splits, with bands from the worst to the best split. Dashed lines are "
            "the article's choices.",
            lambda sheet: _draw_lambda(sheet, found),
        ),
        Figure(
            "lengths",
            "How long the texts are",
            "Shares of each label's texts.",
            lambda sheet: drawing.draw_lengths(sheet, found.description),
            size=drawing.LENGTHS_SIZE,
            source="figure f38",
        ),
        Figure(
            "labels",
            "How many texts have each label",
            "Texts of the corpus.",
            lambda sheet: _draw_labels(sheet, found),
            size=(5.0, 2.2),
            source="figure f39",
        ),
        Figure(
            "columns",
            "How the bag of words grows",
            "Different words in the first texts, in ten random orders of them; beyond the corpus, what the "
            "last doublings lead to.",
            lambda sheet: _draw_growth(sheet, found),
        ),
    ]
    for name in ARTICLE:
        sides = top_words(found.trained[name], WORDS)
        pictures.append(
            Figure(
                f"words-{name}",
                f"Top words of the {NAMES[name]}",
                "The highest and the lowest weights of the model to the letter, on the article's split.",
                lambda sheet, sides=sides: top_words_output.draw_top_words(sheet, sides),
                size=top_words_output.size_of_top_words(sides),
                source="figures f41 to f43",
            )
        )
    return pictures


def _draw_lambda(sheet, found: Found) -> None:
    ax = sheet.subplots()
    for name, colour, table in zip(
        TUNED, (OKABE_ITO["blue"], OKABE_ITO["vermilion"]), found.tuning.accuracies, strict=True
    ):
        ax.fill_between(ALPHAS, table.min(axis=1), table.max(axis=1), color=colour, alpha=0.15, linewidth=0)
        ax.plot(ALPHAS, table.mean(axis=1), "o-", color=colour, label=NAMES[name])
        ax.axvline(LAMBDAS[name], color=colour, linestyle="--", linewidth=1)
    ax.set_xscale("log")
    ax.set_xlabel("lambda (log scale)")
    ax.set_ylabel("accuracy on the held-out texts")
    ax.grid(color="0.9")
    ax.legend(frameon=False)


def _draw_labels(sheet, found: Found) -> None:
    counts = found.description.label_counts
    ax = sheet.subplots()
    bars = ax.barh(
        list(counts), list(counts.values()), color=list(OKABE_ITO.values())[: len(counts)], height=0.6
    )
    ax.bar_label(bars, fmt="{:,.0f}", padding=3)
    ax.margins(x=0.15)
    ax.set_xlabel("texts")
    ax.spines[["top", "right"]].set_visible(False)


def _draw_growth(sheet, found: Found) -> None:
    growth = found.growth
    ax = sheet.subplots()
    for columns in growth.columns:
        ax.plot(growth.sizes, columns, color=OKABE_ITO["blue"], alpha=0.3)
    ax.plot(growth.sizes, growth.columns.mean(axis=0), "o", color=OKABE_ITO["blue"], label="here, ten orders")
    if found.corpus.is_articles:
        ends = expected_columns(growth, ARTICLES_TRAINING)
        ax.plot(
            [ARTICLES_TRAINING] * 2, ends, "_-", color=OKABE_ITO["green"], markersize=12, label="expected"
        )
        ax.plot(
            ARTICLES_TRAINING,
            ARTICLES_COLUMNS,
            "x",
            color=OKABE_ITO["vermilion"],
            markersize=9,
            label="the article's",
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("texts (log scale)")
    ax.set_ylabel("different words (log scale)")
    ax.grid(color="0.9", which="both")
    ax.legend(frameon=False)
