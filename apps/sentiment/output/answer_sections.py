"""Results of `train` and `evaluate` as sections: scores, confusions, curves, thresholds, mistakes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fastsvm.fitting import Pipeline

from ...common.html_pages import shorten
from ...common.printing import many, more, percent
from ...common.sections import Fact, Figure, Line, Section, Table, confusion_table
from ..measures.answer_scores import MISTAKES, AnswerScores
from ..measures.metrics import GROUPS, probabilities_to_judge, probability_groups

if TYPE_CHECKING:
    from ..measures.thresholds import ThresholdEffect

LABELS_LISTED = 100  # rows of the table of labels
LABELS_CROSSED, LABELS_SHADED = 20, 40  # columns of the confusion table in a terminal, and of a page's
LABELS_NAMED = 12  # more columns of a page have numbers
CONFUSIONS = 10
PANELS = 24  # labels with a curve of their own
LONGEST = 1_000_000  # characters of a text whose words are marked: each word of it takes memory
RARE_SHARE = 1 / 3  # curves show the rarer of two labels if its share of the texts is below this

ABOUT_LABELS = (
    "Precision: share of the texts predicted to have the label that do have it. Recall: share of the texts "
    "with the label that are predicted to have it. F1: harmonic mean of both. The areas under the ROC and "
    "the precision-recall (PR) curve cover all thresholds. Guessing has a ROC area of 0.5, and its PR area "
    "is the label's share of the texts."
)
ABOUT_PANELS = (
    "Each label against the rest, at every threshold of the score. Horizontal axis: recall; vertical axis: "
    "precision. Dashed grey: guessing. The numbers are average precisions, the lowest first."
)
ABOUT_CALIBRATION = (
    ". If the probabilities are right, the dots lie on the dashed line: 80 % of the texts with a probability "
    "of 0.8 have the label. Vertical lines: 95 % intervals. The expected calibration error is a mean "
    "distance of the dots from the dashed line."
)
ABOUT_CONFUSION = (
    "Rows: true label. Columns: predicted label. The deeper the colour, the larger the share of the row."
)


def page_head(
    about: Line, facts: Iterable[Fact], counts: Mapping[str, int], n_skipped: int, warnings: Iterable[str]
) -> Section:
    """Return the text below the title of a page: what the page is about, facts and warnings."""
    skipped = [f"Skipped: {many(n_skipped, 'record')} of the corpus."] * bool(n_skipped)
    facts = [*facts, *(Fact(name, f"{n:,}") for name, n in counts.items())]
    return Section(about=[about], facts=facts, lines=[*skipped, *(f"{told}." for told in warnings)])


def answer_sections(scores: AnswerScores, title: str = "Accuracy", full: bool = True) -> list[Section]:
    """Return how good the answers of a model are; if not `full`, only the scores and the labels."""
    most = LABELS_LISTED if full else LABELS_CROSSED
    sections = [_accuracy_section(scores, title, full), _labels_section(scores, most)]
    if scores.confusion is not None and (full or len(scores.labels) <= 4):
        sections += _confusion_sections(scores)
    if full:
        sections += [_curves_section(scores), *_calibration_sections(scores), *threshold_sections(scores)]
    return sections


def main_facts(scores: AnswerScores) -> list[Fact]:
    """Return the accuracy and its interval, or the main scores if texts may have several labels."""
    interval = f" (95 % interval {' to '.join(map(scores.shown, scores.interval))})"
    accuracy, on = Fact("accuracy", scores.shown(scores.accuracy), interval), f" on {scores.on}"
    if scores.main_metric == "accuracy":
        return [accuracy._replace(more=f"{on}{interval}")]
    facts = [Fact("micro F1", scores.shown(scores.score("micro-f1")), on)]
    for k, share in scores.precision_at.items():
        best = "the best labels" if k == 1 else f"the {k} best labels of each text"
        facts.append(Fact(f"P@{k}", scores.shown(share), f", the share of {best} that are right"))
    return [*facts, accuracy._replace(name="all labels right")]


def _accuracy_section(scores: AnswerScores, title: str, full: bool) -> Section:
    guess, (main, *others) = shorten(scores.guess), main_facts(scores)
    by_guessing = scores.shown(scores.guessing(scores.main_metric))
    baseline = Fact("baseline", by_guessing, f", always guessing {guess}")
    facts = [main, baseline, *others]
    is_long = full or scores.main_metric != "accuracy"
    for metric in dict.fromkeys((scores.metric, *("balanced-accuracy", "macro-f1") * is_long)):
        if metric != scores.main_metric:
            name = metric.replace("-", " ").replace(" f1", " F1")
            guessing = f"; always guessing {guess} {scores.shown(scores.guessing(metric))}"
            facts.append(Fact(name, scores.shown(scores.score(metric)), guessing))
    if scores.calibration and full:
        value, by_chance = scores.calibration
        chance = f" ({scores.shown(by_chance)} by chance on this many texts)"
        facts.append(Fact("expected calibration error", scores.shown(value), chance))
    lines = []
    if scores.unknown_labels:
        n = sum(scores.label_counts[label] for label in scores.unknown_labels)
        unknown = many(len(scores.unknown_labels), "label")
        lines.append(f"{unknown} of {many(n, 'text')} did not occur in training; they count as mistakes.")
    return Section(title=title, facts=facts, lines=lines)


def _labels_section(scores: AnswerScores, most: int) -> Section:
    rows, about = scores.label_rows, [ABOUT_LABELS]
    if len(rows) > LABELS_CROSSED:
        rows = sorted(rows, key=lambda row: (row[4] or 0.0, -row[1], row[0]))
        about.insert(0, "The lowest F1 comes first.")
    cells = [(label, f"{n:,}", *map(scores.shown, shares)) for label, n, *shares in rows[:most]]
    columns = "label", "texts", "precision", "recall", "F1", "ROC area", "PR area"
    where = "--json lists all" if most == LABELS_LISTED else "-v lists more"
    left_out = more(len(rows) - most, "label", f" with a higher F1; {where}")
    return Section(title="Labels", about=about, tables=[Table(columns, cells, left_out=left_out)])


def _confusion_sections(scores: AnswerScores) -> list[Section]:
    """Return the table of true and predicted labels; with many labels, also the most frequent mistakes."""
    names, counts = list(scores.labels), np.asarray(scores.confusion)
    tables, title = [confusion_table(names, counts.tolist())], "True and predicted labels"
    found = Section(title=title, about=[ABOUT_CONFUSION], tables=tables)
    if len(names) <= LABELS_NAMED:
        return [found]
    if len(names) > LABELS_CROSSED:  # too wide for a terminal
        draw = partial(_wide_confusion, names, counts)
        found = Section(title=found.title, about=found.about, figures=draw, layout="")
    table = Table(("true", "predicted", "texts", "share"), _frequent_mistakes(names, counts), words=(0, 1))
    about = "The share is of the texts that have the true label."
    return [found, Section(title="Most frequent mistakes", about=[about], tables=[table])]


def _wide_confusion(names: Sequence[str], counts: np.ndarray) -> Iterator[Figure]:
    """Yield a table for a page; of many labels, those with the fewest mistakes share a row and a column."""
    caption = ""
    if len(names) > LABELS_SHADED:
        right = counts.diagonal()
        mistakes = counts.sum(axis=0) + counts.sum(axis=1) - 2 * right
        often = np.argsort(-mistakes, kind="stable")
        kept, others = np.sort(often[: LABELS_SHADED - 1]), often[LABELS_SHADED - 1 :]
        place = np.full(len(names), len(kept))  # in the smaller table
        place[kept] = np.arange(len(kept))
        names = [*(names[i] for i in kept), f"{len(others):,} others"]
        caption = "The labels with the fewest mistakes are combined. Of the texts in the last cell, "
        caption += f"{right[others].sum():,} got the right one of these labels."
        whole, counts = counts, np.zeros((len(names), len(names)), int)
        np.add.at(counts, (place[:, None], place), whole)
    table = confusion_table([f"{shorten(name)} ({i})" for i, name in enumerate(names, 1)], counts.tolist())
    columns = (table.columns[0], *map(str, range(1, len(names) + 1)))
    yield Figure(caption, [table._replace(columns=columns)])


def _frequent_mistakes(names: Sequence[str], counts: np.ndarray) -> list[tuple[str, ...]]:
    """Return true and predicted label of the most frequent mistakes, with their number and share."""
    wrong = counts - np.diag(counts.diagonal())
    worst = np.argsort(-wrong, axis=None, kind="stable")[:CONFUSIONS]
    pairs = [(i, j) for i, j in zip(*np.unravel_index(worst, wrong.shape), strict=True) if wrong[i, j]]
    shares = wrong / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return [(names[i], names[j], f"{wrong[i, j]:,}", percent(shares[i, j])) for i, j in pairs]


def threshold_sections(scores: AnswerScores) -> list[Section]:
    """Return a table of a few thresholds; none if the model has none."""
    effects = scores.threshold_table()
    if not effects:
        return []
    of, two = "score" if scores.probabilities is None else "probability", scores.decision.ndim == 1
    about: Line = "A text gets its best label if the probability of this label reaches the threshold."
    line: Line = f"{of} of the best label; texts below the threshold are left unsure"
    if two:
        second = shorten(scores.classes[1])
        about = ("A text gets the label ", second, f" if its {of} of ", second, " reaches the threshold.")
        line = (f"{of} of ", second)
    elif scores.has_threshold:
        about = "A text gets each label whose probability reaches the threshold. All labels count together."
        line = "probability of each label"
    tables = [threshold_effects(effects, scores)]
    return [Section(title="Thresholds", about=[about], lines=[line], tables=tables)]


def threshold_effects(effects: "Sequence[ThresholdEffect]", scores: AnswerScores) -> Table:
    """Return a table of thresholds, for two labels or for more."""
    if scores.has_threshold:
        header = "threshold", "precision", "recall", "F1", "accuracy", "given wrongly", "missed"
        return Table(header, [each.cells(scores.shown) for each in effects], words=())
    rows = [
        (f"{e.threshold:g}", f"{e.given:,}", percent(e.given / e.n), scores.shown(e.precision))
        for e in effects
    ]
    return Table(("threshold", "answered", "share", "right"), rows, words=())


def _label_to_find(scores: AnswerScores) -> int:
    """Return the index of the label that curves of two labels show: the second, or a rare first one."""
    return int(scores.label_counts[scores.classes[0]] >= RARE_SHARE * scores.n)


def _curves_section(scores: AnswerScores) -> Section:
    """Return two curves for two labels, or a small curve for each of more labels."""
    n_having = scores.label_counts
    if scores.decision.ndim == 1:
        title, chosen = "ROC and precision-recall", _label_to_find(scores)
        label, other = scores.classes[chosen], scores.classes[1 - chosen]
        if 0 < n_having[label] < scores.n:
            share = n_having[label] / scores.n
            name, rarer = shorten(label), ", the rarer label," if share < RARE_SHARE else ""
            told = ("How well the model separates ", name, f"{rarer} from ", shorten(other))
            where = f", at every threshold of the score. {percent(share)} of the texts have the label "
            about = [(*told, where, name, ". Dashed grey: guessing.")]
            return Section(title=title, about=about, figures=partial(_two_curves, scores, label))
    else:
        title = "Precision and recall"
        labels = [label for label in scores.classes if 0 < n_having[label] < scores.n]
        labels = sorted(labels, key=lambda label: -n_having[label])[: 4 * PANELS]
        if labels:
            left = more(len(scores.classes) - min(len(labels), PANELS), "label", " not shown.")
            about = [ABOUT_PANELS, *filter(None, [left])]
            draw = partial(_curve_panels, scores, labels)
            return Section(title=title, about=about, figures=draw, layout="panels")
    return Section(title=title, about=["None: a curve needs texts with and without a label."])


def _two_curves(scores: AnswerScores, label: str) -> Iterator[Figure]:
    from .svg_charts import Axis, line_chart

    found = scores.ladder(label)
    area, precision = f"area {found.area:.3f}", f"average precision {found.average_precision:.3f}"
    told = f"{shorten(label)}: {area}, {precision}"
    axes = Axis("false positive rate"), Axis("true positive rate")
    yield Figure(f"ROC curve, {area}", [line_chart(f"ROC curve. {told}", *axes, found.roc, [(0, 0), (1, 1)])])
    axes, guess = (Axis("recall"), Axis("precision")), [(0, found.share), (1, found.share)]
    chart = line_chart(f"Precision-recall curve. {told}", *axes, found.precision_recall, guess)
    yield Figure(f"Precision-recall curve, {precision}", [chart])


def _curve_panels(scores: AnswerScores, labels: Sequence[str]) -> Iterator[Figure]:
    """Yield a small precision-recall curve of each label, those with the lowest average precision first."""
    from .svg_charts import ENDS, PANEL, Axis, line_chart

    found = [(label, scores.ladder(label)) for label in labels]
    found.sort(key=lambda item: item[1].average_precision)
    axis = Axis("", ticks=ENDS)
    for label, curve in found[:PANELS]:
        value, guess = f"{curve.average_precision:.3f}", [(0, curve.share), (1, curve.share)]
        told = f"Precision-recall curve of {shorten(label)}: average precision {value}"
        chart = line_chart(told, axis, axis, curve.precision_recall, guess, frame=PANEL)
        yield Figure(("", shorten(label), f" {value}"), [chart])


def _calibration_sections(scores: AnswerScores) -> list[Section]:
    """Return how reliable the probabilities are; nothing if there are none."""
    if scores.probabilities is None:
        return []
    whose, of, shown = "predicted for it", "of the predicted label", "share of texts predicted right"
    sure, right = probabilities_to_judge(scores.truth, scores.probabilities)
    if scores.decision.ndim == 1:
        chosen = _label_to_find(scores)
        whose = shorten(scores.classes[chosen])
        of, shown = f"of the label {whose}", "share of texts with the label"
        sure, right = scores.probabilities[:, chosen], scores.truth.has(chosen)
    elif not scores.truth.exclusive:
        whose, of, shown = "in question, for each label", "of each label", "share of texts with the label"
    groups = probability_groups(sure, right)
    about = [("The model gives a probability that a text has the label ", whose, ABOUT_CALIBRATION)]
    rows = [
        (f"{low:.3f} to {high:.3f}", f"{mean:.3f}", f"{n:,}", scores.shown(share))
        for low, high, mean, n, share, _ in groups
    ]
    table = Table(("probability", "mean", "texts", "true share"), rows, words=())
    figures = partial(_reliability, groups, of, shown)
    return [Section(title="Calibration", about=about, tables=[table], figures=figures)]


def _reliability(groups: Sequence[tuple], of: str, shown: str) -> Iterator[Figure]:
    """Yield the share of right answers by probability, and how many texts there are in each tenth."""
    from .svg_charts import STRIP, Axis, Chart, line_chart

    lows, highs, means, counts, shares, intervals = zip(*groups, strict=True)
    points = list(zip(means, shares, strict=True))
    told = "; ".join(f"{mean:.2f}: {percent(share)}" for mean, share in points)
    told = f"Share of texts by the probability {of}. {told}"
    axes = Axis("", ticks=()), Axis(shown)
    reliability = line_chart(told, *axes, points, [(0, 0), (1, 1)], intervals)
    bounds = zip(lows, highs, counts, strict=True)
    told = "; ".join(f"{low:.2f} to {high:.2f}: {n:,}" for low, high, n in bounds)
    x = Axis("probability, mean of the group")
    y = Axis("texts", 0, max(counts), [(0, "0"), (max(counts), f"{max(counts):,}")])
    texts = Chart(f"Texts by probability. {told}", x, y, STRIP)
    middles = [(min(int(low * GROUPS), GROUPS - 1) + 0.5) / GROUPS for low in lows]
    texts.bars(zip(middles, counts, strict=True), 0.9 / GROUPS)
    yield Figure("Probability and truth", [reliability, texts])


def mistakes_section(model: Pipeline, scores: AnswerScores) -> Section:
    """Return the mistakes that the model was most certain of, for a page."""
    title, n = "The most certain mistakes", len(scores.mistakes)
    if not n:
        return Section(title=title, about=["None: every text got its true label."])
    shown = f"{MISTAKES:,} of {n:,}" if n > MISTAKES else "The only one" if n == 1 else f"All {n:,}"
    from .highlights import LEGEND

    about = [f"{shown}. Some texts may have the wrong label in the corpus.", LEGEND]
    return Section(title=title, about=about, figures=partial(_mistakes, model, scores), layout="list")


def _mistakes(model: Pipeline, scores: AnswerScores) -> Iterator[Figure]:
    from ..jobs.text_explanation import TextExplainer
    from .highlights import highlight, quoted

    explainer = TextExplainer(model)
    for i in scores.mistakes[:MISTAKES]:
        text, predicted = scores.texts[i], scores.given.spelled[i]
        spans, note = [], "The text is too long to mark its words."
        if len(text) <= LONGEST:
            spans = explainer.explain(text, scores.classes[scores.doubted_label(i)]).spans
            note = "" if spans else "The text has no word that the model knows."
        truth, margin = shorten(scores.truth.spelled[i]), f", margin {scores.margins[i]:.3f}"
        told = ("true ", truth, ", predicted ", shorten(predicted), margin)
        yield Figure(told, [quoted(highlight(text, spans), note)])
