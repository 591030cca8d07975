"""
A threshold for a rare label
============================

One review in nine is negative, and you want to find the negative ones. By default a text gets the label with
the higher probability. A lower threshold for `neg` finds more negative reviews (higher recall), but more of
those found are positive (lower precision). Choose the threshold by the costs of a missed text and of a false
alarm.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.metrics import precision_recall_curve

from fastsvm_apps import sentiment

# The path from docs/examples/texts of a clone
DATA = Path("../../../data")


def read(name):
    """Return texts and labels; keep one neg in eight."""
    lines = (DATA / name).read_text().splitlines()
    rows = [line.split(None, 3) for line in lines]
    kept = [row for row in rows if row[1] == "pos"]
    negative = [row for row in rows if row[1] == "neg"]
    kept += negative[::8]
    _, labels, _, texts = zip(*kept, strict=True)
    return texts, labels


model = sentiment.train(
    *read("reviews.txt"),
    recipe="nb-words",
    classifier="sdca-logistic",
    holdout=0,
)
texts, labels = read("reviews_test.txt")
neg = list(model.classes_).index("neg")
curves = precision_recall_curve(
    [label == "neg" for label in labels],
    model.predict_proba(texts)[:, neg],
)
precision, recall, thresholds = curves

figure, axes = plt.subplots(
    figsize=(5.5, 3.4), layout="constrained"
)
axes.plot(thresholds, precision[:-1], label="precision")
axes.plot(thresholds, recall[:-1], label="recall")
axes.axvline(
    0.5,
    color="grey",
    linestyle="--",
    label="the default",
)
axes.set(xlabel="threshold on the probability of neg")
axes.set(ylabel="share", ylim=(0, 1.05))
axes.set_title("Precision and recall by threshold")
axes.legend()
plt.show()

# %%
# ``fastsvm-sentiment evaluate MODEL CORPUS --recall 0.9`` finds the threshold for a recall of 0.9.
