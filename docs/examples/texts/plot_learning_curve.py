"""
Would more texts help?
======================

Label more texts, or look for better features? A learning curve answers this: the accuracy on the same
held-out texts, for models trained on growing shares of the others. Where the curve still rises, more labelled
texts will help. The grey band is the 95 % interval of the last accuracy.
"""

from pathlib import Path

import matplotlib.pyplot as plt

from fastsvm_apps import sentiment

DATA = Path("../../../data")  # this script lies in docs/examples/texts of a clone

model = sentiment.train(DATA / "reviews.txt", recipe="nb-words", learning_curve=True)
curve = model.training.learning_curve

figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
texts = [each["n_train"] for each in curve]
axes.plot(texts, [each["accuracy"] for each in curve], "o-", label="accuracy")
axes.axhspan(*model.scores.interval, color="grey", alpha=0.15, label="95 % interval of the last accuracy")
axes.set(xlabel="training texts", ylabel="accuracy on 400 held-out texts", xlim=(0, None))
axes.set_title("Accuracy by the number of training texts")
axes.legend(loc="lower right")
plt.show()
