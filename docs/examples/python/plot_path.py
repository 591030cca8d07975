"""
A path over alpha
=================

A path is one fit for each of 30 alphas. Each fit starts from the previous one, and has its own certificate. A
large alpha keeps all weights small. The error on held-out rows shows which alpha is best.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

from fastsvm import sdca_path

X, y = load_breast_cancer(return_X_y=True)
parts = train_test_split(scale(X), y, random_state=0)
X_train, X_test, y_train, y_test = parts
path = sdca_path(
    X_train, y_train, n_alphas=30, random_state=0
)
weights = path.coefs.reshape(len(path.alphas), -1)
scores = X_test @ weights.T + path.intercepts.ravel()
errors = ((scores > 0) != y_test[:, None]).mean(axis=0)

figure, (upper, lower) = plt.subplots(
    2,
    sharex=True,
    figsize=(5.5, 3.8),
    layout="constrained",
)
figure.suptitle("Weights and test error along the path")
upper.plot(path.alphas, weights, linewidth=0.8)
upper.set(xscale="log", ylabel="weights")
lower.plot(path.alphas, 100 * errors, "o-")
lower.set(
    xlabel="alpha", ylabel="error, %", ylim=(0, None)
)
lower.invert_xaxis()
plt.show()

# %%
# The largest gap of all fits, relative to the objective:

print(f"{np.max(path.dual_gaps / path.objectives):.1e}")
