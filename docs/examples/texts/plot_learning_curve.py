"""
Would more texts help?
======================

Should you label more texts, or look for better features? A learning curve shows the accuracy of models
trained on more and more texts, always on the same held-out texts. If the curve still rises at its end, more
labelled texts will probably help. The grey band is the 95 % interval of the last accuracy.
"""

from pathlib import Path

import matplotlib.pyplot as plt

from fastsvm_apps import sentiment

# The path from docs/examples/texts of a clone
CORPUS = Path("../../../data/reviews.txt")

model = sentiment.train(
    CORPUS, recipe="nb-words", learning_curve=True
)
curve = model.training.learning_curve
texts = [each["n_train"] for each in curve]
accuracies = [each["accuracy"] for each in curve]
low, high = model.scores.interval

figure, axes = plt.subplots(
    figsize=(5.5, 3.4), layout="constrained"
)
axes.plot(texts, accuracies, "o-")
axes.axhspan(low, high, color="grey", alpha=0.15)
axes.set(xlabel="training texts", xlim=(0, None))
axes.set_ylabel("accuracy on 400 held-out texts")
axes.set_title("Accuracy by the number of training texts")
plt.show()
