"""
Can the probabilities be trusted?
=================================

Predictions with a probability of 0.8 should be right in 80 % of the cases. The dots compare the probability
with the share of positive texts, in ten groups of equal size; on the dashed line they agree. The Brier score
is the mean squared error of the probabilities. It is 0.25 if every probability is 0.5, and 0 for perfect
predictions.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from fastsvm_apps import sentiment

# The path from docs/examples/texts of a clone
DATA = Path("../../../data")

lines = (
    (DATA / "reviews_test.txt").read_text().splitlines()
)
rows = [line.split(None, 3) for line in lines]
_, labels, _, texts = zip(*rows, strict=True)
is_positive = [label == "pos" for label in labels]
models = {
    "trained on such reviews": sentiment.train(
        DATA / "reviews.txt", recipe="nb-words"
    ),
    "the included model": sentiment.load("english"),
}

figure, axes = plt.subplots(
    figsize=(5.5, 3.8), layout="constrained"
)
for name, model in models.items():
    pos = list(model.classes_).index("pos")
    p = model.predict_proba(texts)[:, pos]
    score = brier_score_loss(is_positive, p)
    share, mean = calibration_curve(
        is_positive, p, n_bins=10, strategy="quantile"
    )
    label = f"{name}: {score:.3f}"
    axes.plot(mean, share, "o-", label=label)
axes.plot([0, 1], [0, 1], "--", color="grey")
axes.set(
    xlabel="probability of pos", ylabel="share of pos"
)
axes.set_title("Share of positive texts by probability")
axes.legend(loc="lower right", title="Brier score")
plt.show()
