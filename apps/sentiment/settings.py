"""The settings of a training, in one table: options, checks, parameters and records follow from it."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..common.classifiers import CLASSIFIER_HELP, ClassifierRecipe
from ..common.errors import USAGE, AppError
from ..common.input_streams import UTF8
from ..common.paths import Continues, Reads, Writes
from ..common.printing import shortened
from . import checked_values as checks
from .data.record_formats import FORMATS
from .data.text_source import LABEL_COLUMN, TEXT_COLUMN, CorpusError
from .text_recipes import (
    AUTO,
    CLASSIFIERS,
    DEFAULT_RECIPE,
    FEATURES,
    FINE_LABELS,
    METRICS,
    RECIPES,
    WEIGHTINGS,
    is_skewed,
    usual_metric,
    usual_tokens,
)

if TYPE_CHECKING:
    from .data.text_labels import TextLabels


@dataclass(frozen=True)
class Settings:
    """What a training is to do; `SETTINGS` says what each value means. The defaults come from a recipe.

    Attributes
    ----------
    markup : bool
        Whether the corpus has tags or entities to remove; `settle` knows.
    n_problems : int
        Labels that are learned, each against the rest: all of the corpus, or of two exclusive ones the
        second; `settle` knows.
    several : bool
        Whether a text may have several labels; `settle` knows.
    threshold : metric other than average precision, optional
        Shift the scores so that this measure is best when scores of at least 0 give the second label;
        `settle` asks for it where one of two labels is rare.
    """

    classifier: str = "sdca-svm"
    weighting: str = "nb"
    ngrams: tuple[int, int] | None = (1, 3)
    chars: tuple[int, int] | None = None
    min_df: int = 2
    k: int | None = None
    score: str = "f_classif"
    tokens: str | None = None
    keep_markup: bool = False
    markup: bool = False
    n_problems: int = 1
    several: bool = False
    alpha: float | str | None = None
    penalty: str | None = None
    epochs: int | None = None
    holdout: float = 0.2
    seed: int = 0
    cv: int = 0
    metric: str | None = None
    class_weight: str | tuple[tuple[str, float], ...] | None = None
    threshold: str | None = None
    recipe: str | None = None
    start: str | None = None
    learning_curve: bool = False
    refit: bool = True

    @property
    def method(self) -> ClassifierRecipe:
        """The classifier; the SVM of many labels has no candidates for alpha but `short_alphas`."""
        usual = CLASSIFIERS[self.classifier]
        if self.penalty == "l1" and usual.model == "SDCA":
            loss = {"loss": "squared_hinge"} if self.classifier == "sdca-svm" else {}
            return usual._replace(parameters=usual.parameters | L1 | loss, alphas=())
        if self.n_problems == 1 or self.classifier != "sdca-svm":
            return usual
        squared = usual.parameters | {"loss": "squared_hinge", "fit_intercept": self.several}
        fine = self.n_problems <= FINE_LABELS and not self.several
        return usual._replace(parameters=squared, alphas=usual.alphas if fine else ())

    @property
    def has_norm(self) -> bool:
        """Whether all texts have the norm 1; not if words without a weight are to be left out."""
        return self.penalty != "l1" and self.weighting in ("tfidf", "nb")

    @property
    def chooses_alpha(self) -> bool:
        """Whether alpha is chosen within the training texts."""
        return self.alpha == "auto" or (self.alpha is None and self.method.alphas is not None)

    @property
    def label_weights(self) -> str | dict[str, float] | None:
        """The weights of the labels, as classifiers take them."""
        weights = self.class_weight
        return weights if weights is None or isinstance(weights, str) else dict(weights)

    def with_features_of(self, name: str) -> "Settings":
        """Return the settings with the features of a recipe."""
        return replace(self, recipe=name, **{feature: RECIPES[name][feature] for feature in FEATURES})

    def record(self) -> dict[str, Any]:
        """Return the values for JSON, by the names of the parameters, in the words of the command line."""
        names = [name for name in SETTINGS if hasattr(self, name) and name not in NOT_STREAMED]
        words = {name: spelled_setting(getattr(self, name), "none") for name in ("ngrams", "chars")}
        words["k"] = "all" if self.k is None else self.k
        return {name: getattr(self, name) for name in names} | words | {"class_weight": self.label_weights}


L1 = {"penalty": "l1", "fit_intercept": True}
BY_DEFAULT = Settings(recipe=AUTO)


class Setting(NamedTuple):
    """A parameter of `train`, and its option.

    Attributes
    ----------
    check : callable
        Returns the value, or raises ValueError with what is wrong and what to give.
    default : object
        Of the parameter; None mostly leaves it to the recipe.
    help, metavar : str
    option : str
        The option, if it has another name.
    repeated : bool
        Whether the option may be given several times.
    path : Reads, Writes or Continues, optional
        The kind of a path.
    """

    check: Callable[[object], Any]
    default: object = None
    help: str = ""
    metavar: str | None = None
    option: str = ""
    repeated: bool = False
    path: Reads | Writes | None = None


FORMAT_HELP = """Format of {what}: tables with a header (tsv, csv), JSON lines, fastText's lines, a folder \
with a folder of texts per label, or lines `domain label id.txt words`.  [default: {default}]"""
_FIXED_ALPHAS = {name: method.alpha for name, method in CLASSIFIERS.items() if method.alphas is None}

# By the sections of the help.
OPTIONS = {
    "Input": {
        "format": Setting(checks.OneOf(*FORMATS), None, FORMAT_HELP),
        "text_col": Setting(
            str, TEXT_COLUMN, "Column of the texts; comment, review and content are also recognised.", "NAME"
        ),
        "label_col": Setting(
            str, LABEL_COLUMN, "Column of the labels; class, sentiment and stars are also recognised.", "NAME"
        ),
        "label_sep": Setting(
            str,
            None,
            "What separates several labels of a text, for example ','; '' takes each field as one label.  "
            "[default: found in the fields]",
            "SEP",
        ),
        "encoding": Setting(
            checks.encoding, UTF8, "Encoding of {what}, for example cp1252 or utf-16.", "NAME"
        ),
    },
    "Recipe": {
        "recipe": Setting(
            checks.OneOf(AUTO, *RECIPES),
            AUTO,
            "Features of a text and their weights. auto tries several recipes on training texts. By name: "
            f"{', '.join(RECIPES)}. For example, nb-words takes word n-grams, weighted by naive Bayes "
            "log-count ratios; article is the recipe of the study sentiment. The options below override "
            "the recipe.",
            "NAME",
        ),
        "classifier": Setting(checks.OneOf(*CLASSIFIERS), None, CLASSIFIER_HELP),
        "ngrams": Setting(
            checks.length_range, None, "Word n-grams: up to N words in a row, or from A to B.", "N|A-B|none"
        ),
        "k": Setting(
            checks.count_or_all, "recipe", "Number of features to keep, the best by --score.", "N|all"
        ),
        "score": Setting(
            checks.OneOf("f_classif", "chi2"), None, "Score that ranks the features.  [default: f_classif]"
        ),
    },
    "Training": {
        "alpha": Setting(
            checks.strength_or_auto,
            None,
            "Strength of the L2 regularisation. auto tries several values on parts of the training texts.  "
            "[default: auto for SDCA and kernel machines, "
            f"{', '.join(f'{name} {alpha:g}' for name, alpha in _FIXED_ALPHAS.items() if alpha)}]",
            "X|auto",
        ),
        "penalty": Setting(
            checks.OneOf("l2", "l1"),
            None,
            "l1 gives most words no weight: the model keeps only the others, and -v says how accurate fifty "
            "words are. For sdca-svm and sdca-logistic.  [default: l2]",
        ),
        "class_weight": Setting(
            checks.label_weights,
            None,
            "Weight of a text with this label, for example spam=5; may be repeated. balanced gives all "
            "labels the same total weight.  [default: balanced for a rare label of two, else 1]",
            "balanced|LABEL=W",
            repeated=True,
        ),
        "start": Setting(
            os.fspath,
            None,
            "Train MODEL further on CORPUS. MODEL decides the recipe and the features.",
            "MODEL",
            "continue",
            path=Reads(replaced_by="-o"),
        ),
        "stream": Setting(
            bool,
            False,
            "Read CORPUS twice and train from a matrix on disk, beside the model: for a CORPUS larger than "
            "memory. Takes words or characters, not both, and tries no recipes.",
        ),
        "scheduler": Setting(
            str,
            None,
            "Like --stream, but the matrix is held by the workers of the Dask scheduler at ADDRESS, for "
            "example tcp://host:8786.",
            "ADDRESS",
        ),
        "seed": Setting(
            checks.WholeNumber(0, 2**32 - 1),
            Settings.seed,
            "Seed of every random choice: the same seed gives the same numbers.",
        ),
    },
    "Evaluation": {
        "holdout": Setting(
            checks.share_below_one,
            Settings.holdout,
            "Share of the texts to test the model on; 0 skips the test.",
            "SHARE",
        ),
        "cv": Setting(
            checks.WholeNumber(2),
            None,
            "Also cross-validate: train N times, each time without one of N parts, and test on that part.",
            "N",
            "folds",
        ),
    },
}
CONFIG_ONLY = {  # no options: a file for --config has them
    "weighting": Setting(checks.OneOf(*WEIGHTINGS)),
    "chars": Setting(checks.length_range),
    "min_df": Setting(checks.positive_count),
    "tokens": Setting(checks.OneOf("words", "split")),
    "keep_markup": Setting(bool, False),
    "epochs": Setting(checks.positive_count),
    "metric": Setting(checks.OneOf(*METRICS)),
    "refit": Setting(bool, True),
    "checkpoint": Setting(os.fspath, path=Continues("folder")),
}
OF_OUTPUT = {  # follow from other options of the command
    "learning_curve": Setting(bool, False, option="report"),
    "save_to": Setting(os.fspath, option="output"),
}
SETTINGS = {
    name: setting
    for settings in (*OPTIONS.values(), CONFIG_ONLY, OF_OUTPUT)
    for name, setting in settings.items()
}
# A model that goes on learning decides these.
OF_MODEL = ("recipe", "classifier", "penalty", *FEATURES, "min_df", "k", "score", "tokens")
NOT_STREAMED = ("start", "cv", "learning_curve")  # need all texts in memory
HOW_TO_RUN = ("scheduler", "checkpoint", "save_to", "learning_curve")  # change no model


def spelled_setting(value: object, none: str = "all") -> str:
    """Return the value of an option in the words of a command line; `none` stands for None."""
    if isinstance(value, tuple):  # a range, such as --ngrams, or a label and its weight
        return ("=" if isinstance(value[0], str) else "-").join(map(str, value))
    return none if value is None else str(value)


def option_name(name: str) -> str:
    """Return the option of a setting."""
    return f"--{(SETTINGS[name].option or name).replace('_', '-')}"


def parameter_of_option(option: str) -> str:
    """Return the setting that an option is for, given without its dashes."""
    others = {setting.option: name for name, setting in SETTINGS.items() if setting.option}
    return others.get(option, option.replace("-", "_"))


def checked_settings(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return those parameters of `train` that are settings and not the defaults, checked."""
    checked = {}
    for name, setting in SETTINGS.items():
        value = parameters[name]
        if value != setting.default:
            try:
                checked[name] = setting.check(value)
            except ValueError as error:
                raise AppError(f"{option_name(name)}: {error}", USAGE) from None
    return checked


def recipe_settings(name: str, **others: Any) -> Settings:
    """Return the settings of a recipe, with other values for some of them.

    If the recipe is "auto" and features are given, the default recipe provides the other features.
    """
    recipe = RECIPES[DEFAULT_RECIPE if name == AUTO else name]
    is_changed = not others.keys().isdisjoint(FEATURES)
    return Settings(**{**recipe, **others}, recipe=None if is_changed else name)


def settings_of(checked: Mapping[str, Any]) -> Settings:
    """Return the settings that checked values make, and refuse those that contradict each other."""
    for name in OF_MODEL if "start" in checked else ():
        if name in checked:
            raise AppError(f"{option_name(name)}: the model of --continue decides this; leave it out", USAGE)
    if place := [name for name in ("scheduler", "stream") if name in checked]:
        for name in filter(checked.__contains__, NOT_STREAMED):
            option = option_name(name)
            raise AppError(f"{option} needs all texts in memory; leave it out, or --{place[0]}", USAGE)
    if "scheduler" in checked and "checkpoint" in checked:
        raise AppError("--scheduler does not support --checkpoint; leave out one of them", USAGE)
    values = {name: value for name, value in checked.items() if hasattr(Settings, name)}
    settings = recipe_settings(values.pop("recipe", AUTO), **values)
    if settings.penalty == "l1":
        if place:
            raise AppError(f"--penalty l1 needs all texts in memory; leave it out, or --{place[0]}", USAGE)
        if settings.method.model != "SDCA":
            raise AppError("--penalty l1 is for sdca-svm and sdca-logistic; give one of them", USAGE)
    if settings.ngrams is None and settings.chars is None:
        raise AppError("--ngrams none and no --chars: nothing to count; give one of them", USAGE)
    method = settings.method
    if settings.alpha == "auto" and method.alphas is None:
        told = f"--alpha auto is not for the {settings.classifier}"
        raise AppError(f"{told}; give a number, or leave it out", USAGE)
    if settings.alpha is not None and method.alpha is None:
        raise AppError(f"--alpha has no effect on the {settings.classifier}; leave it out", USAGE)
    return settings


def settle(settings: Settings, format: str, texts: Sequence[str], labels: "TextLabels") -> Settings:
    """Return the settings with all that a corpus decides; what is left is the choice of recipe and alpha."""
    counts, several = labels.label_counts, not labels.exclusive
    check_labels(counts)
    if several:
        _check_several(settings)
    settings = replace(settings, n_problems=len(labels.problems), several=several)
    return settle_labels(settle_reading(settings, format, texts), counts)


def _check_several(settings: Settings) -> None:
    """Refuse what cannot learn several labels per text."""
    one = "learns one label per text, and these have several"
    otherwise = "or --label-sep '' takes each field as one label"
    if settings.penalty == "l1":
        told = f"--penalty l1 {one}: leave it out"
    elif settings.method.is_kernel:
        told = f"--classifier {settings.classifier} {one}: give --classifier sdca-svm"
    elif settings.k is not None:
        told = f"--k {one}: leave it out, or give --recipe tfidf-words"
    elif settings.weighting == "nb" and settings.recipe != AUTO and settings.method.model != "SDCA":
        told = f"weighting nb with --classifier {settings.classifier} {one}: give --recipe tfidf-words"
    elif settings.start is not None:
        told = f"--continue {one}: train a model of old and new texts without it"
    else:
        return
    raise CorpusError(f"{told}, {otherwise}", USAGE)


def settle_reading(settings: Settings, format: str, texts: Sequence[str]) -> Settings:
    """Return the settings with the tokens and the markup of texts."""
    from fastsvm.text import has_markup

    tokens = settings.tokens or usual_tokens(format)
    return replace(settings, tokens=tokens, markup=not settings.keep_markup and any(map(has_markup, texts)))


def settle_labels(settings: Settings, counts: Counter[str]) -> Settings:
    """Return the settings with what follows from how many texts have each label.

    Raises
    ------
    CorpusError
        If a label that has a weight is not there.
    """
    weights = settings.label_weights
    if unknown := set(weights).difference(counts) if isinstance(weights, dict) else ():
        known = ", ".join(map(repr, sorted(counts)[:10]))
        raise CorpusError(f"--class-weight: the corpus has no label {min(unknown)!r}; it has {known}", USAGE)
    if weights is None and is_skewed(counts) and len(counts) == 2 and not settings.several:
        # Balanced accuracy finds a good alpha, but would give a rare label to every third text.
        aim = settings.metric if settings.metric in ("accuracy", "balanced-accuracy") else "macro-f1"
        settings = replace(settings, class_weight="balanced", threshold=aim)
    return replace(settings, metric=settings.metric or usual_metric(counts, not settings.several))


def check_labels(counts: Counter[str]) -> None:
    """Refuse a corpus whose texts all have the same label, or mostly one of their own.

    Of fewer than ten texts that may be so; and two of each of many labels are a small corpus, not a wrong
    column.
    """
    n, n_alone = counts.total(), [*counts.values()].count(1)
    if n >= 10 and 3 * len(counts) > n and 2 * n_alone > len(counts):
        labels = f"{len(counts):,} labels, such as {shortened(min(counts))!r}, in {n:,} texts"
        raise CorpusError(f"{labels}; --format or --label-col is probably wrong")
    if len(counts) < 2:
        (only,) = counts
        raise CorpusError(f"{only!r} is the only label; give texts with two labels or more")
