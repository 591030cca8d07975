"""
Train on reviews and see the top words
======================================

Which words make a review positive? A model is trained on 2,000 synthetic reviews, each labelled `pos` or
`neg`. One call chooses the regularisation, tests the model on held-out texts, and
trains it again on all texts. The picture shows the terms with the largest weights for each label.
"""

from pathlib import Path

import matplotlib.pyplot as plt

from fastsvm_apps import sentiment

# The path from docs/examples/texts of a clone
CORPUS = Path("../../../data/reviews.txt")

model = sentiment.train(CORPUS, recipe="nb-words")
print(model.summary)

# %%
# Terms are sequences of one to three words: "not recommended" says more than either word alone.

top_words = model.training.top_words
figure, panels = plt.subplots(
    1, 2, figsize=(6, 3), layout="constrained"
)
for axes, label in zip(panels, top_words, strict=True):
    weights = {  # without punctuation
        word: abs(weight)
        for word, weight in top_words[label]
        if word.replace(" ", "").isalpha()
    }
    color = "C0" if label == "pos" else "C1"
    axes.barh([*weights], weights.values(), color=color)
    axes.invert_yaxis()
    axes.set(title=f"Words for {label}", xlabel="weight")
plt.show()
