"""The settings of a training, in one table: options, checks, parameters and records follow from it."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..common.classifiers import CLASSIFIER_HELP, ClassifierRecipe
from ..common.errors import USAGE, AppError
from ..common.input_streams import UTF8
from ..common.options import SEED_HELP
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
    """The settings of a training; `SETTINGS` explains each. The defaults come from a recipe.

    Attributes
    ----------
    markup : bool
        Whether the corpus has tags or entities to remove; set by `settle`.
    n_problems : int
        Number of binary problems: one per label, or one for two exclusive labels; set by `settle`.
    several : bool
        Whether a text may have several labels; set by `settle`.
    threshold : metric other than average precision, optional
        Measure that is best, after a shift of the scores, when scores of at least 0 give the second label;
        set by `settle` if one of two labels is rare.
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
        """The classifier; with many labels, the alphas tried for the SVM are only `short_alphas`."""
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
        """Whether all texts are scaled to norm 1; False with the l1 penalty."""
        return self.penalty != "l1" and self.weighting in ("tfidf", "nb")

    @property
    def chooses_alpha(self) -> bool:
        """Whether alpha is chosen within the training texts."""
        return self.alpha == "auto" or (self.alpha is None and self.method.alphas is not None)

    @property
    def label_weights(self) -> str | dict[str, float] | None:
        """The weights of the labels, in the form that classifiers take."""
        weights = self.class_weight
        return weights if weights is None or isinstance(weights, str) else dict(weights)

    def with_features_of(self, name: str) -> "Settings":
        """Return the settings with the features of a recipe."""
        return replace(self, recipe=name, **{feature: RECIPES[name][feature] for feature in FEATURES})

    def record(self) -> dict[str, Any]:
        """Return the values by parameter name for JSON, spelled as on the command line."""
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
    help, metavar : str
    default : object
        Default of the parameter; None mostly means that the recipe decides.
    option : str
        Name of the option, if it differs from the parameter's.
    repeated : bool
        Whether the option may be given several times.
    path : Reads, Writes or Continues, optional
        How the path is used, if the value is a path.
    """

    check: Callable[[object], Any]
    help: str = ""
    metavar: str | None = None
    default: object = None
    option: str = ""
    repeated: bool = False
    path: Reads | Writes | None = None


FORMAT_HELP = """Format of {what}: tables with a header (tsv, csv), JSON lines, fastText's lines, a folder \
with one folder of texts per label, or lines `domain label id.txt words`.  [default: {default}]"""
_FIXED_ALPHAS = {name: method.alpha for name, method in CLASSIFIERS.items() if method.alphas is None}

# By the sections of the help.
OPTIONS = {
    "Input": {
        "format": Setting(checks.OneOf(*FORMATS), FORMAT_HELP),
        "text_col": Setting(
            str, "Column of the texts; comment, review and content are also recognised.", "NAME", TEXT_COLUMN
        ),
        "label_col": Setting(
            str, "Column of the labels; class, sentiment and stars are also recognised.", "NAME", LABEL_COLUMN
        ),
        "label_sep": Setting(
            str,
            "Separator of several labels of a text, for example ','; '' takes each field as one label.  "
            "[default: detected in the fields]",
            "SEP",
        ),
        "encoding": Setting(
            checks.encoding, "Encoding of {what}, for example cp1252 or utf-16.", "NAME", UTF8
        ),
    },
    "Recipe": {
        "recipe": Setting(
            checks.OneOf(AUTO, *RECIPES),
            "Features of a text and their weights. `auto` tries several recipes on training texts. The "
            f"recipes are {', '.join(RECIPES)}. For example, nb-words uses word n-grams, weighted by naive "
            "Bayes log-count ratios; article is the recipe of `fastsvm-studies sentiment`. --ngrams, --k and "
            "--score override the recipe.",
            "NAME",
            AUTO,
        ),
        "classifier": Setting(checks.OneOf(*CLASSIFIERS), CLASSIFIER_HELP),
        "ngrams": Setting(
            checks.length_range, "Word n-grams: up to N words in a row, or from A to B.", "N|A-B|none"
        ),
        "k": Setting(checks.count_or_all, "Keep the N features with the highest --score.", "N|all", "recipe"),
        "score": Setting(
            checks.OneOf("f_classif", "chi2"), "Score that ranks the features.  [default: f_classif]"
        ),
    },
    "Training": {
        "alpha": Setting(
            checks.strength_or_auto,
            "Strength of the regularisation. `auto` tries several values on parts of the training texts.  "
            "[default: auto for SDCA and kernel machines, "
            f"{', '.join(f'{name} {alpha:g}' for name, alpha in _FIXED_ALPHAS.items() if alpha)}]",
            "X|auto",
        ),
        "penalty": Setting(
            checks.OneOf("l2", "l1"),
            "`l1` gives most words no weight: the model keeps only the others, and -v also prints the "
            "accuracy of models with even fewer words. It needs sdca-svm or sdca-logistic.  [default: l2]",
        ),
        "class_weight": Setting(
            checks.label_weights,
            "Weight W of each text with LABEL, for example spam=5; may be repeated. `balanced` gives all "
            "labels the same total weight.  [default: balanced if one of two labels is rare, else 1]",
            "balanced|LABEL=W",
            repeated=True,
        ),
        "start": Setting(
            os.fspath,
            "Train MODEL further on CORPUS. MODEL determines the recipe and the features.",
            "MODEL",
            option="continue",
            path=Reads(replaced_by="-o"),
        ),
        "stream": Setting(
            bool,
            "Read CORPUS twice and train from a matrix on disk, beside the model. Use it if CORPUS is larger "
            "than memory. The features are words or characters, not both, and no recipes are tried.",
            default=False,
        ),
        "scheduler": Setting(
            str,
            "Like --stream, but the matrix is held by the workers of the Dask scheduler at ADDRESS, for "
            "example tcp://host:8786.",
            "ADDRESS",
        ),
        "seed": Setting(checks.WholeNumber(0, 2**32 - 1), SEED_HELP, default=Settings.seed),
    },
    "Evaluation": {
        "holdout": Setting(
            checks.share_below_one,
            "Share of the texts to test the model on; 0 skips the test.",
            "SHARE",
            Settings.holdout,
        ),
        "cv": Setting(
            checks.WholeNumber(2),
            "Also cross-validate: train N times, each time without one of N parts, and test on that part.",
            "N",
            option="folds",
        ),
    },
}
CONFIG_ONLY = {  # not options: only a file for --config can set them
    "weighting": Setting(checks.OneOf(*WEIGHTINGS)),
    "chars": Setting(checks.length_range),
    "min_df": Setting(checks.positive_count),
    "tokens": Setting(checks.OneOf("words", "split")),
    "keep_markup": Setting(bool, default=False),
    "epochs": Setting(checks.positive_count),
    "metric": Setting(checks.OneOf(*METRICS)),
    "refit": Setting(bool, default=True),
    "checkpoint": Setting(os.fspath, path=Continues("folder")),
}
OF_OUTPUT = {  # follow from other options of the command
    "learning_curve": Setting(bool, default=False, option="report"),
    "save_to": Setting(os.fspath, option="output"),
}
_TABLES = (*OPTIONS.values(), CONFIG_ONLY, OF_OUTPUT)
SETTINGS = {name: setting for table in _TABLES for name, setting in table.items()}
# With --continue, the model determines these.
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
    """Return the setting of an option, which is given without its dashes."""
    others = {setting.option: name for name, setting in SETTINGS.items() if setting.option}
    return others.get(option, option.replace("-", "_"))


def checked_settings(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Check the parameters of `train` that are settings; return those that differ from their defaults."""
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
    """Return the settings with checked values; refuse values that contradict each other."""
    for name in OF_MODEL if "start" in checked else ():
        if name in checked:
            raise AppError(f"{option_name(name)}: the model of --continue sets this; leave it out", USAGE)
    if place := [name for name in ("scheduler", "stream") if name in checked]:
        for name in filter(checked.__contains__, NOT_STREAMED):
            option = option_name(name)
            raise AppError(f"{option} needs all texts in memory; leave out {option} or --{place[0]}", USAGE)
    if "scheduler" in checked and "checkpoint" in checked:
        raise AppError("--scheduler does not support --checkpoint; leave out one of them", USAGE)
    values = {name: value for name, value in checked.items() if hasattr(Settings, name)}
    settings = recipe_settings(values.pop("recipe", AUTO), **values)
    if settings.penalty == "l1":
        if place:
            told = "--penalty l1 needs all texts in memory; leave out --penalty or"
            raise AppError(f"{told} --{place[0]}", USAGE)
        if settings.method.model != "SDCA":
            raise AppError("--penalty l1 needs --classifier sdca-svm or sdca-logistic; choose one", USAGE)
    if settings.ngrams is None and settings.chars is None:
        raise AppError("--ngrams none leaves no features; leave it out, or give --chars", USAGE)
    method = settings.method
    if settings.alpha == "auto" and method.alphas is None:
        told = f"--alpha auto does not work with {settings.classifier}"
        raise AppError(f"{told}; give a number, or leave out --alpha", USAGE)
    if settings.alpha is not None and method.alpha is None:
        raise AppError(f"--alpha has no effect on the {settings.classifier}; leave it out", USAGE)
    return settings


def settle(settings: Settings, format: str, texts: Sequence[str], labels: "TextLabels") -> Settings:
    """Return the settings with all that a corpus determines; recipe and alpha may still have to be chosen."""
    counts, several = labels.label_counts, not labels.exclusive
    check_labels(counts)
    if several:
        _check_several(settings)
    settings = replace(settings, n_problems=len(labels.problems), several=several)
    return settle_labels(settle_reading(settings, format, texts), counts)


def _check_several(settings: Settings) -> None:
    """Refuse settings that do not support several labels per text."""
    one = "supports one label per text, but these texts have several"
    otherwise = "or take each field as one label with --label-sep ''"
    if settings.penalty == "l1":
        told = f"--penalty l1 {one}: leave it out"
    elif settings.method.is_kernel:
        told = f"--classifier {settings.classifier} {one}: give --classifier sdca-svm"
    elif settings.k is not None:
        told = f"--k {one}: leave it out, or give --recipe tfidf-words"
    elif settings.weighting == "nb" and settings.recipe != AUTO and settings.method.model != "SDCA":
        told = f"weighting nb with --classifier {settings.classifier} {one}: give --recipe tfidf-words"
    elif settings.start is not None:
        told = f"--continue {one}: train a new model on the old and the new texts"
    else:
        return
    raise CorpusError(f"{told}, {otherwise}", USAGE)


def settle_reading(settings: Settings, format: str, texts: Sequence[str]) -> Settings:
    """Return the settings with `tokens` and `markup` as the texts need them."""
    from fastsvm.text import has_markup

    tokens = settings.tokens or usual_tokens(format)
    return replace(settings, tokens=tokens, markup=not settings.keep_markup and any(map(has_markup, texts)))


def settle_labels(settings: Settings, counts: Counter[str]) -> Settings:
    """Return the settings with what follows from the number of texts per label.

    Raises
    ------
    CorpusError
        If a label that was given a weight is not in the corpus.
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
    """Refuse a corpus in which all texts have the same label, or most have a label that no other text has.

    Fewer than ten texts may have unique labels. Many labels with two texts each are a small corpus, not a
    wrong column.
    """
    n, n_alone = counts.total(), [*counts.values()].count(1)
    if n >= 10 and 3 * len(counts) > n and 2 * n_alone > len(counts):
        labels = f"{len(counts):,} labels, such as {shortened(min(counts))!r}, in {n:,} texts"
        raise CorpusError(f"{labels}; --format or --label-col is probably wrong")
    if len(counts) < 2:
        (only,) = counts
        raise CorpusError(f"{only!r} is the only label; give texts with two labels or more")
