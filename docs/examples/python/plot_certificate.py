"""
What a certificate proves
=========================

After each epoch, SDCA knows two numbers: the objective of its weights, and a lower bound from its dual
variables. No weights have an objective below the bound. So the optimum is between the two lines,
and the fit stops when the lines are close enough.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from fastsvm import SDCAClassifier

X, y = load_breast_cancer(return_X_y=True)
model = SDCAClassifier(
    alpha=0.01, trace=True, random_state=0
)
model.fit(scale(X), y)

history = model.history_
epochs = history["epoch"]
primal = np.minimum.accumulate(history["primal"])
bound = np.maximum.accumulate(history["dual"])

figure, axes = plt.subplots(
    figsize=(5.5, 3.2), layout="constrained"
)
axes.plot(epochs, primal, label="lowest objective so far")
axes.plot(
    epochs, bound, "--", label="highest bound so far"
)
axes.fill_between(epochs, bound, primal, alpha=0.15)
axes.set(xlabel="epoch", xscale="log")
axes.set(
    ylabel="hinge objective", ylim=(0, 3 * primal[-1])
)
axes.set_title(
    "The objective falls, its lower bound rises"
)
axes.legend()
plt.show()

# %%
# The last gap is the certificate:

print(f"objective {model.objective_:.6f}")
print(f"at most {model.dual_gap_:.1e} above the optimum")
