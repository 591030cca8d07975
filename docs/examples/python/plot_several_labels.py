"""
Several labels per row
======================

If a row may have any number of labels, y is a table of 0 and 1 with one column per label. Each label is a
separate problem with its own certificate. The curves show the effect of the threshold: the precision and
recall of each label on held-out rows.
"""

import matplotlib.pyplot as plt
from sklearn import datasets, metrics
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

from fastsvm import SDCAClassifier

X, Y = datasets.make_multilabel_classification(
    2000, n_classes=4, n_labels=2, random_state=0
)
X_train, X_test, Y_train, Y_test = train_test_split(
    scale(X), Y, test_size=0.5, random_state=0
)
model = SDCAClassifier("log", alpha=1e-3, random_state=0)
model.fit(X_train, Y_train)
scores = model.decision_function(X_test)

figure, axes = plt.subplots(
    figsize=(5.5, 3.6), layout="constrained"
)
for k in range(4):
    each = Y_test[:, k], scores[:, k]
    curve = metrics.precision_recall_curve(*each)
    area = metrics.average_precision_score(*each)
    label = f"label {k}: average precision {area:.2f}"
    axes.plot(curve[1], curve[0], label=label)
axes.set_title("Precision and recall of four labels")
axes.set(
    xlabel="recall", ylabel="precision", ylim=(0, 1.02)
)
axes.legend()
plt.show()

# %%
# One certificate per label: how far each objective can be above its minimum, as a share of the objective.

print((model.dual_gap_ / model.objective_).round(6))
