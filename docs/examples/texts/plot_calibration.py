"""
Can the probabilities be trusted?
=================================

A probability of 0.8 should be right in 80 % of the cases. The dots compare what the model says with what
happens, in ten groups of equal size: on the dashed line both agree. The Brier score sums it up: the mean
squared error of the probabilities, which is 0.25 for always saying 0.5, and 0 for perfect answers.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from fastsvm_apps import sentiment

DATA = Path("../../../data")  # this script lies in docs/examples/texts of a clone

rows = [line.split(None, 3) for line in (DATA / "reviews_test.txt").read_text().splitlines()]
is_positive = [row[1] == "pos" for row in rows]

figure, axes = plt.subplots(figsize=(5, 4.5), layout="constrained")
for name, model in {
    "trained on such reviews": sentiment.train(DATA / "reviews.txt", recipe="nb-words"),
    "the included model": sentiment.load("english"),
}.items():
    probability = model.predict_proba([row[3] for row in rows])[:, list(model.classes_).index("pos")]
    score = brier_score_loss(is_positive, probability)
    share, mean = calibration_curve(is_positive, probability, n_bins=10, strategy="quantile")
    axes.plot(mean, share, "o-", label=f"{name}: Brier score {score:.3f}")
axes.plot([0, 1], [0, 1], "--", color="grey")
axes.set(xlabel="probability of pos", ylabel="share of pos", ylim=(-0.03, 1.03))
axes.set_title("Share of positive texts by probability")
axes.legend(loc="lower right")
plt.show()
