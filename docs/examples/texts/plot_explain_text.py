"""
Why did this text get its label?
================================

The score of a text is a sum: each term that the model knows adds its contribution. Bars to the right favour
`pos`, bars to the left `neg`. The model is the included one, trained on English reviews.
"""

import matplotlib.pyplot as plt

from fastsvm_apps import sentiment

model = sentiment.load("english")
text = (
    "The battery is great, but the screen broke after "
    "a week. I want my money back."
)
found = model.explain(text)
print(f"label {found.label}, score {found.score:+.2f}")

# %%
# The ten largest contributions; the other terms and the intercept add the rest.

words = found.words[:10]
names = [each.term for each in words]
values = [each.contribution for each in words]
names.append("all others")
values.append(found.score - sum(values))

figure, axes = plt.subplots(
    figsize=(5.5, 3.6), layout="constrained"
)
colors = ["C0" if each > 0 else "C1" for each in values]
axes.barh(names, values, color=colors)
axes.axvline(0, color="black", linewidth=0.8)
axes.invert_yaxis()
axes.set_title(f"Why the label is {found.label}")
axes.set_xlabel("contribution to the score of pos")
plt.show()
