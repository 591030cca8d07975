"""
What a certificate proves
=========================

A fit of SDCA has two numbers after each epoch: the objective of its weights, and a lower bound from its dual
variables. No weights have an objective below the bound. So the optimum is between the two lines,
and the fit stops when they are close enough.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from fastsvm import SDCAClassifier

X, y = load_breast_cancer(return_X_y=True)
model = SDCAClassifier(alpha=0.01, trace=True, random_state=0).fit(scale(X), y)

epochs = model.history_["epoch"]
primal = np.minimum.accumulate(model.history_["primal"])
bound = np.maximum.accumulate(model.history_["dual"])

figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
axes.plot(epochs, primal, label="lowest objective so far")
axes.plot(epochs, bound, "--", label="highest lower bound so far")
axes.fill_between(epochs, bound, primal, alpha=0.15, label="the optimum is here")
axes.set(xlabel="epoch", ylabel="hinge objective", xscale="log", ylim=(0, 3 * primal[-1]))
axes.set_title("The objective falls, its lower bound rises")
axes.legend()
plt.show()

# %%
# The last gap is the certificate:

print(f"objective {model.objective_:.6f}, at most {model.dual_gap_:.1e} above the optimum")
