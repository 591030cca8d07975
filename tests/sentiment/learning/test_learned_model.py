from types import SimpleNamespace

import numpy as np

from fastsvm_apps.sentiment.data.text_labels import TextLabels
from fastsvm_apps.sentiment.learning.learned_model import LeftOutScores


def test_a_label_that_no_score_tells_gets_a_threshold_where_a_fold_did_not_know_it():
    y = TextLabels.of([("a",), ("a", "b"), ("b",), (), (), ("a",)], exclusive=False)
    decision = np.array([[1, 1], [1, -1], [-1, -np.inf], [-1, 1], [-1, 1], [1, -np.inf]], np.float32)
    model = SimpleNamespace(classes_=y.names, coef_=np.ones((2, 3), np.float32), intercept_=np.zeros(2))
    left_out = LeftOutScores(y, decision, metric="micro-f1")
    assert left_out.calibration(y.names).slopes[1] == 0
    left_out.apply(model)
    assert np.isfinite(model.thresholds_).all()
