"""
A threshold for a rare label
============================

One review in nine is negative, and the negative ones must be found. By default a text gets the label with the
higher score. A lower threshold finds more of the rare label (recall), but more of its answers are wrong
(precision). Choose the threshold by what a missed text and a false alarm cost you.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.metrics import precision_recall_curve

from fastsvm_apps import sentiment

DATA = Path("../../../data")  # this script lies in docs/examples/texts of a clone


def read(name):
    """Return the texts of a sample and whether each is negative; of eight negative ones, one is kept."""
    rows = [line.split(None, 3) for line in (DATA / name).read_text().splitlines()]
    negative = [row for row in rows if row[1] == "neg"]
    kept = [row for row in rows if row[1] == "pos"] + negative[::8]
    return [row[3] for row in kept], [row[1] for row in kept]


model = sentiment.train(*read("reviews.txt"), recipe="nb-words", holdout=0, classifier="sdca-logistic")
texts, labels = read("reviews_test.txt")
is_negative = [label == "neg" for label in labels]
probability = model.predict_proba(texts)[:, list(model.classes_).index("neg")]
precision, recall, thresholds = precision_recall_curve(is_negative, probability)

figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
axes.plot(thresholds, precision[:-1], label="precision: given neg, and right")
axes.plot(thresholds, recall[:-1], label="recall: negative, and found")
axes.axvline(0.5, color="grey", linestyle="--", linewidth=1, label="0.5, the default")
axes.set(xlabel="threshold on the probability of neg", ylabel="share", ylim=(0, 1.05))
axes.set_title("Precision and recall by threshold")
axes.legend()
plt.show()

# %%
# On the command line, ``fastsvm-sentiment evaluate MODEL CORPUS --recall 0.9`` finds such a threshold.
