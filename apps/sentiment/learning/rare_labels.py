"""What balanced weights would do for a label that a model of three or more labels rarely finds."""

from dataclasses import replace

import numpy as np

from ..data.text_labels import TextLabels
from ..measures.metrics import right_counts, score_decision
from ..text_recipes import FINE_LABELS
from .learned_model import Counted, CountedTexts, LearnedModel, LeftOutScores, decisions_of_folds
from .text_splits import inner_folds

LOW_RECALL = 0.2  # of a label, in unseen texts


def rarely_found(everything: Counted, n_train: int, tested: LearnedModel) -> str | None:
    """Return a warning about the label that is found least often; None if all are found, or have weights.

    Weights cost accuracy. In eleven cases, made of four corpora with three or four labels, one label had 1 %
    of the texts. Its mean recall was 0.015. Weights by the square root of the share gave 0.066, and cost
    0.002 of accuracy (at worst 0.010); balanced weights gave 0.115, and cost 0.009 (0.028).

    Parameters
    ----------
    everything : CountedTexts or ContinuedModel
        All texts, the training texts first.
    n_train : int
    tested : LearnedModel
        The model of the training texts. One more like it, with balanced weights, is trained on each fold.
    """
    before, settings = tested.left_out, tested.settings
    is_plain = isinstance(everything, CountedTexts) and settings.class_weight is None
    if before is None or not is_plain or settings.method.is_kernel or settings.several:
        return None
    if not 2 < len(before.y.names) <= FINE_LABELS:
        return None
    recalls = _recalls(before)
    worst = min(recalls, key=recalls.__getitem__)
    if recalls[worst] >= LOW_RECALL:
        return None
    part, _ = everything.parted(slice(n_train), slice(0))
    balanced, folds = replace(settings, class_weight="balanced"), inner_folds(part.y, settings.seed)
    after = LeftOutScores.of(part.y, balanced, **decisions_of_folds(part.X, part.y, folds, balanced))
    found = _recalls(after)[worst]
    if found <= recalls[worst]:
        return None
    first, second = (score_decision("accuracy", each.y, each.decision) for each in (before, after))
    told = "the share of unseen training texts of '{}' that get this label is {:.2f} (accuracy {:.4f}); "
    weighted = "with --class-weight balanced {:.2f} (accuracy {:.4f})"
    return told.format(worst, recalls[worst], first) + weighted.format(found, second)


def _recalls(scores: LeftOutScores) -> dict[str, float]:
    """Return the recall of each label that any text has."""
    given = TextLabels.given(scores.y.names, scores.decision, None)
    n_having, _, n_right = right_counts(scores.y, given)
    return {str(scores.y.names[k]): n_right[k] / n_having[k] for k in np.flatnonzero(n_having)}
