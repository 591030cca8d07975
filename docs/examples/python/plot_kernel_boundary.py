"""
A kernel machine and its certificate
====================================

Two half moons cannot be separated by a line. A kernel machine draws a curve: rows on its margin become
support vectors (ringed), all others could be left out. Each model says how far its objective can be from
the minimum.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from fastsvm import KernelSDCAClassifier, SDCAClassifier

X, y = make_moons(200, noise=0.2, random_state=0)
across, up = np.meshgrid(np.linspace(-1.8, 2.8, 200), np.linspace(-1.3, 1.8, 200))
grid = np.column_stack([across.ravel(), up.ravel()])

figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for axes, (name, model) in zip(
    panels,
    {
        "linear": SDCAClassifier(alpha=1e-3, random_state=0),
        "gaussian kernel": KernelSDCAClassifier("rbf", alpha=1e-3, gamma=1.0, random_state=0),
    }.items(),
    strict=True,
):
    score = model.fit(X, y).decision_function(grid).reshape(across.shape)
    axes.contourf(across, up, score, levels=[-np.inf, 0, np.inf], colors=["C0", "C1"], alpha=0.15)
    axes.contour(across, up, score, levels=[-1, 0, 1], colors="grey", linestyles=["--", "-", "--"])
    axes.scatter(*X.T, c=np.where(y == 1, "C1", "C0"), s=14)
    if hasattr(model, "support_"):
        rings = {"facecolors": "none", "edgecolors": "black", "linewidths": 0.6}
        axes.scatter(*X[model.support_].T, s=60, **rings, label="support vectors")
        axes.legend(loc="lower left")
    share = 100 * model.dual_gap_ / model.objective_
    axes.set(title=f"{name}: within {share:.2f} % of the minimum")
plt.show()
