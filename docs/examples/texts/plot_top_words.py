"""
Train on reviews and see the top words
======================================

Which words make a review positive? A model is trained on 2,000 synthetic reviews, each labelled `pos` or
`neg`. One call chooses the features and the regularisation, tests the model on texts it has not seen, and
trains it again on all of them. The picture shows the words with the largest weights for each label.
"""

from pathlib import Path

import matplotlib.pyplot as plt

from fastsvm_apps import sentiment

DATA = Path("../../../data")  # this script lies in docs/examples/texts of a clone

model = sentiment.train(DATA / "reviews.txt", recipe="nb-words")
print(model.summary)

# %%
# Terms are words and pairs or triples of words: "not recommended" says more than either word.

figure, panels = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for axes, (label, words) in zip(panels, model.training.top_words.items(), strict=True):
    plain = [each for each in words if each[0].replace(" ", "").isalpha()]  # no punctuation
    names, weights = zip(*plain[:10], strict=True)
    axes.barh(names, [abs(weight) for weight in weights], color="C0" if label == "pos" else "C1")
    axes.invert_yaxis()
    axes.set(title=f"Words for {label}", xlabel="weight")
plt.show()
