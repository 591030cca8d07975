"""The output of `train`: tables for people, and a record for --json."""

from ...common.printing import (
    certificate_line,
    fields,
    many,
    percent,
    print_heading,
    print_line,
    print_table,
    print_times,
    shortened,
)
from ...common.sections import print_sections
from ..jobs.suspect_texts import TEXT
from ..jobs.text_training import TextTraining
from ..learning.alpha_choice import AlphaChoice
from ..measures.answer_scores import AnswerScores
from ..settings import spelled_setting
from ..text_recipes import WEIGHTINGS
from .answer_sections import answer_sections
from .top_words_output import top_words_section


def training_record(result: TextTraining, seconds: dict[str, float]) -> dict:
    """Return what `train --json` prints."""
    settings, choice = result.settings, result.alpha_choice
    return {
        "model": result.path,
        **settings.record(),
        "threshold": settings.threshold and {"metric": settings.threshold, "shift": result.shift},
        "alpha_choice": choice and choice.record(),
        **fields(result, "recipe_choice", "label_counts", "n_train", "n_calibrate", "n_test", "n_fitted"),
        **fields(result, "n_features_seen", "n_features"),
        **_evaluation_record(result.evaluation),
        **fields(result, "warnings", "accuracy_before", "learning_curve", "cross_validation"),
        **fields(result, "n_iter", "objective", "gap", "relative_gap", "suspected_labels"),
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def print_training(result: TextTraining, seconds: dict[str, float]) -> None:
    """Print the result of a training."""
    print_line(f"{result.skipped.source}: {sum(result.label_counts.values()):,} texts, {result.uses}")
    print_line(_features_line(result))
    print_heading("Labels")
    print_table(("label", "texts"), [(label, f"{n:,}") for label, n in result.label_counts.items()])
    print_heading("Held-out texts")
    if result.evaluation:
        print_sections(answer_sections(result.evaluation, title="", full=False))
        _print_models(result)
    else:
        print_line("none: --holdout 0 keeps no text for a test")
    if result.recipe_choice:
        print_screening(result.recipe_choice)
    if result.cross_validation:
        print_cross_validation(result.cross_validation, result.settings.metric)
    if result.alpha_choice:
        print_alpha_choice(result.alpha_choice)
    if result.settings.threshold:
        print_heading(
            "Rare label",
            "Both labels weigh the same in training. Scores are "
            f"{'lowered' if result.shift >= 0 else 'raised'} by {abs(result.shift):.3g}, "
            f"which gives the best {result.settings.threshold} according to the probabilities.",
        )
    print_heading("Certificate", text_certificate(result))
    print_times(seconds)
    print_heading("Top words")
    if result.top_words:
        print_sections([top_words_section(result.top_words)])
    else:
        print_line("none: a kernel machine has no weight for a word; explain says what each does in a TEXT")
    print_heading("Model", result.path)
    if result.suspected_labels:
        _print_suspected(result.suspected_labels)


def _features_line(result: TextTraining) -> str:
    settings = result.settings
    kinds = (settings.ngrams, "word"), (settings.chars, "character")
    ranges = [_ngrams_in_words(each, kind) for each, kind in kinds if each is not None]
    rare = "" if settings.min_df == 1 else f" that occur in at least {settings.min_df} texts"
    kept = "none dropped" if result.n_features == result.n_features_seen else f"{result.n_features:,} kept"
    weights = f"weighted by {WEIGHTINGS[settings.weighting]}"
    return f"{result.n_features_seen:,} features: {' and '.join(ranges)}{rare}; {kept}; {weights}"


def _ngrams_in_words(ends: tuple[int, int], kind: str) -> str:
    if ends == (1, 1):
        return f"single {kind}s"
    return f"{kind} n-grams of length {spelled_setting(ends)}"


def _print_models(result: TextTraining) -> None:
    """Print which model was tested, and which one is saved."""
    print_line("")
    if not result.evaluation.calibration:
        print_line("no probabilities: too few texts to learn them from")
    if result.accuracy_before is not None:
        print_line(f"accuracy of the model before it learned on: {result.accuracy_before:.4f}")
    print_line(f"The model that was tested was trained on {result.n_train:,} other texts.")
    if result.n_fitted > result.n_train:
        print_line(f"The saved model was trained on all {result.n_fitted:,} texts.")


def print_screening(screening: dict) -> None:
    """Print the recipes that were tried, and which one was taken."""
    tried, chosen = screening["tried"], screening["chosen"]
    errors = ", ".join(f"{recipe['name']} {recipe['error']:.4f}" for recipe in tried)
    why = "the smallest error"
    if screening["unsegmented"]:
        why += "; the texts have no blanks between words, so characters are counted"
    elif chosen != min(tried, key=lambda recipe: recipe["error"])["name"]:
        why = "in long texts, characters have to be better by two standard errors"
    print_heading(
        "Recipe",
        f"tried on {screening['n']:,} training texts: {', '.join(recipe['name'] for recipe in tried)}",
        f"squared error of the probabilities: {errors}",
        f"taken: {chosen} ({why})",
    )


def print_cross_validation(found: dict, metric: str) -> None:
    """Print the scores of the parts of all texts, each by a model of the other parts."""
    print_heading(f"Cross-validation in {len(found['values'])} parts of all texts")
    rows = {"accuracy": ("accuracy", "accuracies"), metric: ("metric", "values")}
    for name, (what, values) in rows.items():
        low, high = found[f"{what}_interval"]
        mean = found["accuracy" if what == "accuracy" else "metric_value"]
        print_line(
            f"{name} {mean:.4f} (95 % interval {low:.4f} to {high:.4f}), "
            f"from {min(found[values]):.4f} to {max(found[values]):.4f}"
        )


def print_alpha_choice(choice: AlphaChoice) -> None:
    """Print the score at each alpha that was tried, and the alpha that was taken."""
    n_folds = choice.scores.shape[1]
    folds = f" in {n_folds} folds" if n_folds > 1 else ""
    best = f"{choice.alpha:g}, the best on {choice.n_tried:,} training texts{folds}"
    if choice.is_at_end:
        smaller = choice.alpha == choice.alphas[-1]
        best += f"; it is the last one tried, and {'smaller' if smaller else 'larger'} ones might be better"
    print_heading("Alpha", best, "")
    rows = [
        (f"{alpha:g}", f"{value:.4f}", f"{gap:.1e}")
        for alpha, value, gap in zip(choice.alphas, choice.means, choice.gaps.max(axis=1), strict=True)
    ]
    print_table(("alpha", choice.metric, "relative gap"), rows)


def _print_suspected(found: dict) -> None:
    """Print how many labels are probably wrong, and the surest of them."""
    wrong = percent(found["estimated_share"])
    print_heading(
        "Suspected labels",
        f"Models of other texts contradict {found['n_contradicted']:,} of {many(found['n'], 'label')}, "
        f"{found['n_strong']:,} strongly.",
        f"By the surest predictions, about {wrong} of the labels are wrong at random.",
    )
    if found["texts"]:
        rows = [
            (
                str(text["place"]),
                text["label"],
                text["suggested"],
                f"{text['sure']:.3f}",
                shortened(text["text"], TEXT),
            )
            for text in found["texts"]
        ]
        print_line("")
        print_table(("place", "label", "suggested", "sure", "text"), rows, (0, 1, 2, 4))
        print_line("")
        print_line("fastsvm-sentiment inspect lists more.")


def text_certificate(result: TextTraining) -> str:
    """Return a sentence on the distance to the optimum."""
    return certificate_line(result.relative_gap, result.settings.classifier)


def _evaluation_record(scores: AnswerScores | None) -> dict:
    """Return the scores on the held-out texts, and those of guessing."""
    if scores is None:
        names = "accuracy", "accuracy_interval", "labels", "confusion", "metric_value", "macro_f1", "baseline"
        return dict.fromkeys((*names, "calibration_error"))
    record = {**scores.record, "metric_value": scores.value}
    record["baseline"]["metric_value"] = scores.guessing(scores.metric)
    return record
