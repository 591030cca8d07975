"""The output of `train`: sections in brief and in full, the page, and the record for --json."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version

import numpy as np

from ...common.files import replace_file
from ...common.html_pages import sections_page
from ...common.printing import certificate_line, fields, many, more, next_line, percent, shortened
from ...common.sections import Fact, Figure, Line, Section, Table, time_section
from ...common.statistics import shown, wilson_interval
from ..jobs.suspect_texts import LETTERS_SHOWN, SuspectText
from ..jobs.text_training import TextTraining
from ..measures.answer_scores import AnswerScores
from ..measures.term_effects import shown_term
from ..settings import Settings, spelled_setting
from ..text_recipes import WEIGHTINGS
from .answer_sections import answer_sections, main_facts, mistakes_section, page_head
from .inspection_output import suspects_table
from .top_words_output import top_words_section

LABELS_WITH_WORDS = 24
# Of the brief form: columns of a terminal, rows and words of its table, and letters of a name.
WIDTH, LABELS_IN_BRIEF, WORDS_IN_BRIEF, LETTERS = 80, 20, 5, 18
TESTED = "Held-out texts"
ABOUT_CERTIFICATE = (
    "Training looks for the weights with the lowest objective: the mean loss on the training texts, plus a "
    "penalty on large weights."
)
UNTESTED = (
    "none: with --holdout 0, no text is kept for a test. To test the model on other labelled texts, run "
    "fastsvm-sentiment evaluate."
)
WITHOUT_WEIGHTS = "none: a kernel machine has no weights of words; fastsvm-sentiment explain explains a text"


def training_record(result: TextTraining, seconds: Mapping[str, float]) -> dict:
    """Return what `train --json` prints."""
    settings, choice, scores = result.settings, result.alpha_choice, result.evaluation
    names = "accuracy", "accuracy_interval", "labels", "confusion", "macro_f1", "metric_value", "baseline"
    tested = dict.fromkeys((*names, "calibration_error"))
    if scores is not None:
        tested = {**scores.record, "metric_value": scores.value}
        tested["baseline"]["metric_value"] = scores.guessing(scores.metric)
    return {
        "model": result.path,
        **settings.record(),
        "threshold": settings.threshold and {"metric": settings.threshold, "shift": result.shift},
        "alpha_choice": choice and choice.record(),
        **fields(result, "recipe_choice", "label_counts", "n_train", "n_calibrate", "n_test", "n_fitted"),
        **fields(result, "n_features_seen", "n_features"),
        **tested,
        **fields(result, "warnings", "accuracy_before", "learning_curve", "cross_validation"),
        **fields(result, "scores_by_words"),
        **fields(result, "n_iter", "objective", "gap", "relative_gap", "suspected_labels"),
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def write_training_report(
    path: str | os.PathLike[str], result: TextTraining, saved: str, corpus: str, command: str
) -> None:
    """Write the report on a training.

    Parameters
    ----------
    path : str or path-like
        The HTML file to write.
    result : TextTraining
        With or without held-out texts.
    saved : str
        The file of the model, or why there is none.
    corpus : str
        The name of the corpus.
    command : str
        The command line that repeats this training.
    """
    facts = [] if result.evaluation is None else main_facts(result.evaluation)[:1]
    counts = {"training texts": result.n_train, "texts for probabilities": result.n_calibrate}
    counts = {name: n for name, n in counts.items() if n}
    counts |= {"held-out texts": result.n_test, "known terms": result.n_features}
    about = "", saved, f" · {result.settings.classifier} · fastsvm {version('fastsvm')}"
    head = page_head(about, facts, counts, result.skipped.count, result.warnings)
    page = sections_page(("Text classifier: ", corpus), head, training_sections(result, {}, command))
    replace_file(path, page.encode())


def brief_sections(result: TextTraining) -> list[Section]:
    """Return what matters most, in 14 lines for up to four labels."""
    scores, settings = result.evaluation, result.settings
    source = shortened(result.skipped.source, 2 * LETTERS, keep="end")
    lines: list[Line] = [("", source, f": {result.n_texts:,} texts, {result.uses}"), *result.about_labels]
    lines += ["no text was held out for a test"] if scores is None else _score_lines(result, scores)
    recalls = {} if scores is None else scores.recalls
    labels = list(result.label_counts)
    if left := more(len(labels) - LABELS_IN_BRIEF, "label", "; -v lists all"):  # the lowest recalls first
        labels.sort(key=lambda label: 1.0 if recalls.get(label) is None else recalls[label])
    rows = _brief_rows(result, labels[:LABELS_IN_BRIEF], recalls)
    table = Table(("label", "recall", "top words"), rows, words=(0, 2), left_out=left)
    next_lines: list[Line] = [
        f"recipe: {settings.recipe or 'as given'}; {result.n_features:,} features; {settings.classifier}"
        + (f", alpha {settings.alpha:g}" if settings.alpha else ""),
        f"certificate: {certificate_line(result.relative_gap, settings.classifier)}",
        ("model: ", f"{result.path}", " (train -v says more)"),
        next_line("fastsvm-sentiment", "predict", f"{result.path}"),
    ]
    return [Section(lines=lines), Section(tables=[table]), Section(lines=next_lines)]


def _brief_rows(
    result: TextTraining, labels: Sequence[str], recalls: Mapping[str, float | None]
) -> list[tuple[str, str, str]]:
    names = [shortened(label, LETTERS) for label in labels]
    room = WIDTH - max(map(len, ("label", *names))) - len("  recall    ")
    rows = []
    for name, label in zip(names, labels, strict=True):
        words = [shown_term(word) for word, _ in result.top_words.get(label, [])[:WORDS_IN_BRIEF]]
        recall = recalls.get(label)
        shown = result.evaluation.shown(recall) if result.evaluation else "-"
        rows.append((name, shown, shortened(", ".join(words), room)))
    return rows


def _score_lines(result: TextTraining, scores: AnswerScores) -> list[str]:
    """Return the scores of the answers, of guessing, and of the model before --continue.

    The metric is included if it is not the usual score.
    """
    fact, *others = main_facts(scores)
    main, guessing = f"{fact.name} {fact.value}{fact.more}", scores.shown(scores.guessing(scores.main_metric))
    if others:  # of texts with several labels
        also = [("macro F1", scores.shown(scores.score("macro-f1"))), *(each[:2] for each in others)]
        main += f"; {', '.join(map(' '.join, also))}"
    line = f"always guessing {shortened(scores.guess, LETTERS)}: {guessing}"
    if result.accuracy_before is not None:
        line += f"; before further training: {scores.shown(result.accuracy_before)}"
    if scores.metric != scores.main_metric:
        value, guessing = scores.value, scores.guessing(scores.metric)
        line += f"; {scores.metric} {scores.shown(value)}, guessing {scores.shown(guessing)}"
    return [main, line]


def training_sections(result: TextTraining, seconds: Mapping[str, float], command: str = "") -> list[Section]:
    """Return all results of a training; a page also has the command that repeats the training."""
    sections = [_corpus_section(result), *_tested_sections(result)]
    if result.recipe_choice:
        sections.append(_recipe_section(result.recipe_choice, result.settings))
    if result.cross_validation:
        sections.append(_cross_validation_section(result.cross_validation, result.settings.metric))
    if result.alpha_choice:
        sections.append(_alpha_section(result))
    if result.settings.threshold:
        moved = f"{'lowered' if result.shift >= 0 else 'raised'} by {abs(result.shift):.3g}"
        why = f"which gives the best {result.settings.threshold} according to the probabilities"
        line = f"Both labels have the same total weight in training. Scores are {moved}, {why}."
        sections.append(Section(title="Rare label", lines=[line]))
    sections += [*_learning_curve_sections(result), *_few_words_sections(result), _words_section(result)]
    if result.evaluation and result.evaluation.texts:
        sections.append(mistakes_section(result.tested.model, result.evaluation))
    if result.suspected_labels:
        sections.append(_suspected_section(result.suspected_labels))
    sections.append(_certificate_section(result))
    if seconds:
        sections.append(time_section(seconds))
    return [*sections, _model_section(result, command)]


def _corpus_section(result: TextTraining) -> Section:
    n_texts = f": {result.n_texts:,} texts, {result.uses}"
    table = Table(("label", "texts"), [(label, f"{n:,}") for label, n in result.label_counts.items()])
    settings, n_seen = result.settings, result.n_features_seen
    kinds = []
    for ends, kind in (settings.ngrams, "word"), (settings.chars, "character"):
        if ends is not None:
            lengths = f"{kind} n-grams of length {spelled_setting(ends)}"
            kinds.append(f"single {kind}s" if ends == (1, 1) else lengths)
    rare = "" if settings.min_df == 1 else f" that occur in at least {settings.min_df} texts"
    kept = "none dropped" if result.n_features == n_seen else f"{result.n_features:,} kept"
    features, weights = " and ".join(kinds), f"weighted by {WEIGHTINGS[settings.weighting]}"
    features = f"{n_seen:,} features: {features}{rare}; {kept}; {weights}."
    lines = [("", result.skipped.source, n_texts), *result.about_labels, features]
    return Section(title="Corpus", lines=lines, tables=[table])


def _tested_sections(result: TextTraining) -> list[Section]:
    """Return how good the tested model is, and which model is saved."""
    if result.evaluation is None:
        return [Section(title=TESTED, lines=[UNTESTED])]
    accuracy, *others = answer_sections(result.evaluation, TESTED)
    lines = [f"The model that was tested was trained on {result.n_train:,} other texts."]
    if not result.evaluation.calibration:
        lines.insert(0, "no probabilities: too few texts to learn them from")
    if result.accuracy_before is not None:
        before = result.evaluation.shown(result.accuracy_before)
        lines.insert(0, f"accuracy of the model before further training: {before}")
    if result.n_fitted > result.n_train:
        lines.append(f"The saved model was trained on all {result.n_fitted:,} texts.")
    return [replace(accuracy, lines=[*accuracy.lines, *lines]), *others]


def _recipe_section(choice: dict, settings: Settings) -> Section:
    """Return the recipes that were tried, and which one was chosen."""
    tried, chosen = choice["tried"], choice["chosen"]
    why = "the smallest error"
    if choice["unsegmented"]:
        why += "; the texts have no blanks between words, so characters are counted"
    elif chosen != min(tried, key=lambda recipe: recipe["error"])["name"]:
        why = "the lead of a better recipe may be chance"
    measure = f"1 - {settings.metric}" if settings.several else "Brier score"
    errors = ", ".join(f"{recipe['name']} {recipe['error']:.4f}" for recipe in tried)
    lines = [
        f"tried on {choice['n']:,} training texts: {', '.join(recipe['name'] for recipe in tried)}",
        f"{measure}: {errors}",
        f"chosen: {chosen} ({why})",
    ]
    return Section(title="Recipe", lines=lines)


def _cross_validation_section(found: dict, metric: str) -> Section:
    """Return the scores of all folds, each by a model that was trained on the other folds."""
    rows = {
        "accuracy": (found["accuracy"], found["accuracy_interval"], found["accuracies"]),
        metric: (found["metric_value"], found["metric_interval"], found["values"]),
    }
    facts = []
    for name, (mean, interval, values) in rows.items():
        told, *rest = shown(interval, mean, *interval, min(values), max(values))
        facts.append(Fact(name, told, " (95 % interval {} to {}), folds from {} to {}".format(*rest)))
    return Section(title=f"Cross-validation in {len(found['values'])} parts of all texts", facts=facts)


def _alpha_section(result: TextTraining) -> Section:
    """Return the score at each alpha that was tried, and the alpha that was chosen."""
    choice = result.alpha_choice
    n_folds = choice.scores.shape[1]
    folds = f" in {n_folds} folds" if n_folds > 1 else ""
    best = f"{choice.alpha:g}, the best on {choice.n_tried:,} training texts{folds}"
    if choice.is_at_end:
        smaller = choice.alpha == choice.alphas[-1]
        best += f"; no {'smaller' if smaller else 'larger'} ones were tried, which might be better"
    columns = choice.alphas, choice.means, choice.gaps.max(axis=1)
    rows = [(f"{alpha:g}", f"{value:.4f}", f"{gap:.1e}") for alpha, value, gap in zip(*columns, strict=True)]
    table = Table(("alpha", choice.metric, "relative gap"), rows)
    return Section(title="Alpha", lines=[best], tables=[table])


def _learning_curve_sections(result: TextTraining) -> list[Section]:
    """Return the learning curve, and what the last texts gained; nothing for a single point."""
    points, n = result.learning_curve, result.n_test
    if len(points) < 2:
        return []
    metric = result.settings.metric.replace("-", " ")
    intervals = []
    if metric == "accuracy":
        intervals = [wilson_interval(round(point["accuracy"] * n), n) for point in points]
    sizes, values = [point["n_train"] for point in points], [point["value"] for point in points]
    gain = f"From {sizes[-2]:,} to {sizes[-1]:,} training texts, the gain was {values[-1] - values[-2]:+.4f}."
    about = [f"{gain} If the curve still rises at its end, more texts would help further."]
    about += ["Vertical lines: 95 % intervals."] * bool(intervals)
    rows = [(f"{size:,}", f"{value:.4f}") for size, value in zip(sizes, values, strict=True)]
    table = Table(("training texts", metric), rows, words=())

    def draw() -> list[Figure]:
        from .svg_charts import learning_curve_chart

        caption = f"{metric.capitalize()} by the number of training texts"
        return [Figure(caption, [learning_curve_chart(sizes, values, intervals, metric)])]

    return [Section(title="Learning curve", about=about, tables=[table], figures=draw)]


def _few_words_sections(result: TextTraining) -> list[Section]:
    """Return how accurate models with few words are, with an l1 penalty."""
    points, metric = result.scores_by_words, result.settings.metric
    if not points:
        return []
    about = f"The model has {many(result.n_features, 'word n-gram')}. Larger alphas give fewer:"
    rows = []
    for point in points:
        scores = {"accuracy": f"{point['accuracy']:.4f}", metric: f"{point['value']:.4f}"}
        rows.append((f"{point['words']:,}", f"{point['alpha']:.3g}", *scores.values()))
    table = Table(("words", "alpha", *scores), rows, words=())
    return [Section(title="Accuracy by number of words", about=[about], tables=[table])]


def _words_section(result: TextTraining) -> Section:
    """Return the words of the most frequent labels."""
    words, counts = result.top_words, result.label_counts
    labels = [label for label, rows in words.items() if rows]
    if not labels:
        return Section(title="Top words", lines=[WITHOUT_WEIGHTS])
    labels.sort(key=lambda label: -counts.get(label, 0))
    return top_words_section(words, "Top words", labels[:LABELS_WITH_WORDS] if len(words) > 2 else ())


def _suspected_section(found: dict) -> Section:
    """Return how many labels are probably wrong, and the most suspicious texts."""
    n = f"{found['n_contradicted']:,} of {many(found['n'], 'label')}, {found['n_strong']:,} strongly"
    lines = [f"Models trained on other texts contradict {n}."]
    if (share := found["estimated_share"]) is not None:
        told = f"about {percent(share)} of the labels are wrong at random"
        lines.append(f"By the most certain predictions, {told}.")
    suspects = [SuspectText(**one) for one in found["texts"]]
    lines += ["fastsvm-sentiment inspect lists more."] * bool(suspects)
    tables = [suspects_table(suspects, LETTERS_SHOWN)] if suspects else []
    return Section(title="Suspected labels", lines=lines, tables=tables)


def _certificate_section(result: TextTraining) -> Section:
    """Return how far the fit, or the farthest of several fits, is from the optimum."""
    lines = [certificate_line(result.relative_gap, result.settings.classifier)]
    if result.relative_gap is None:
        return Section(title="Certificate", lines=lines)
    worst = int(np.argmax(result.relative_gap))
    numbers = result.objective, result.gap, result.relative_gap
    objective, gap, relative = (float(np.atleast_1d(values)[worst]) for values in numbers)
    about: list[Line] = [ABOUT_CERTIFICATE]
    if np.ndim(result.objective):
        label, most = str(result.model.classes_[worst]), ", which is farthest from the optimum."
        about.append(("Each label has its own weights. The numbers belong to the label ", label, most))
    about.append("This concerns the training texts. The held-out texts show how the model does on others.")
    told = f"The objective ended at {objective:.6g}. A bound that was also computed proves that no weights"
    lines.append(f"{told} reach less than {objective - gap:.6g}.")
    if relative > 0.01:
        lines.append("More epochs, or a larger alpha, would bring the objective nearer to the optimum.")
    return Section(title="Certificate", about=about, lines=lines)


def _model_section(result: TextTraining, command: str) -> Section:
    """Return the file and the settings; on a page, the command that trains the model again."""
    classifier = result.model["classifier"]
    loss, settings = getattr(classifier, "loss", None), result.settings
    told = ("classifier", "weighting")  # in other words
    record = {name: value for name, value in settings.record().items() if name not in told}
    others = [(name, value) for name, value in record.items() if value is not None or name == "alpha"]
    rows = [
        ("classifier", f"{type(classifier).__name__}{f', loss {loss}' if loss else ''}"),
        *((name, spelled_setting(value, "none")) for name, value in others),
        ("weighted by", WEIGHTINGS[settings.weighting]),
        ("features kept", f"{result.n_features:,} of {result.n_features_seen:,}"),
        ("epochs run", f"{np.max(result.n_iter):,}"),
        ("versions", ", ".join(f"{name} {version(name)}" for name in ("fastsvm", "numpy", "scipy"))),
    ]
    table = Table(("setting", "value"), rows, words=(0, 1))
    if command:
        about = ["The same corpus, versions and options give the same model."]
        return Section(title="Reproduction", about=about, command=command, tables=[table])
    return Section(title="Model", lines=[f"{result.path}"], tables=[table])
