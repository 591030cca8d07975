"""Tables of the study."""

import numpy as np

from ...common.statistics import mean_interval
from ..frame.study_context import Arrays
from ..frame.study_report import Table
from .digit_claims import PEGASOS, TEST, TRAIN
from .digit_experiments import EPOCHS_TRIED, LABELS, METHODS, Digits, wrong


# fmt: off
def tables(digits: Digits, rates: Arrays) -> list[Table]:
    """Return the tables."""
    train, test = rates["train"][PEGASOS], rates["test"][PEGASOS]
    errors = wrong(rates["test"]) / (2 * digits.n_test)  # (methods, runs)
    return [
        Table("methods", "Methods",
              "Share of the images that get the other's label: the mean over all draws with its 95 % "
              "interval, and "
              "how much single draws vary. CPU time is the median of one fit.",
              ("method", "test error", "low", "high", "standard deviation", "training error", "CPU ms"),
              [(name, errors[k].mean(), *mean_interval(errors[k].tolist()), errors[k].std(ddof=1),
                (wrong(rates["train"][k]) / (2 * digits.n_train)).mean(),
                 1e3 * np.median(rates["seconds"][k]))
               for k, name in enumerate(METHODS)]),
        _confusion_table("training", TRAIN, train),
        _confusion_table("test", TEST, test),
        Table("labels", "Label counts", "How many images there are of each label, and how many Pegasos "
                                        "gave it.",
              ("images", "label", "document: true", "document: given", "true", "given, mean"),
              [(part, f"{label}", int(theirs[k].sum()), int(theirs[:, k].sum()), int(found[0, k].sum()),
                found[:, :, k].sum(axis=1).mean())
               for part, theirs, found in (("training", TRAIN, train), ("test", TEST, test))
               for k, label in enumerate(LABELS)],
              source="label counts"),
        Table("epochs", "Epochs", "Test error of Pegasos, the mean over all draws.",
              ("epochs", "test error", "low", "high"),
              [(epochs, values.mean(), *mean_interval(values.tolist()))
               for epochs, values in zip(EPOCHS_TRIED, rates["steps"], strict=True)]),
        Table("draws", "Draws", "Each fit.", ("method", "draw", "test error", "CPU seconds"),
              [(name, run, float(error), float(rates["seconds"][k, run]))
               for k, name in enumerate(METHODS) for run, error in enumerate(errors[k])],
              shown=False),
    ]


def _confusion_table(part: str, theirs: np.ndarray, found: np.ndarray) -> Table:
    means, sds = found.mean(axis=0), found.std(axis=0, ddof=1)
    return Table(
        f"confusion_{part}", f"Confusion, {part} images",
        "Images of each label by the label that Pegasos gave them: the document's draw, then the mean and "
        "the standard deviation over ours.",
        ["true label", *(f"document: called {label}" for label in LABELS),
         *(words for label in LABELS for words in (f"called {label}", f"sd {label}"))],
        [(f"{label}", *theirs[k].tolist(), *np.stack([means[k], sds[k]], axis=1).ravel())
         for k, label in enumerate(LABELS)],
        source=f"confusion table of the {part} data")
# fmt: on
