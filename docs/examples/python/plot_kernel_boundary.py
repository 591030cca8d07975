"""
A kernel machine and its certificate
====================================

A straight line cannot separate two half moons. A kernel machine separates them by a curve. Rows on or inside
its margin become support vectors (ringed); the model does not need the others. Each title shows how far the
objective can be from the minimum.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from fastsvm import KernelSDCAClassifier, SDCAClassifier

X, y = make_moons(200, noise=0.2, random_state=0)
across, up = np.meshgrid(
    np.linspace(-1.8, 2.8, 200),
    np.linspace(-1.3, 1.8, 200),
)
grid = np.column_stack([across.ravel(), up.ravel()])
known = {"alpha": 1e-3, "random_state": 0}
models = {
    "linear": SDCAClassifier(**known),
    "kernel": KernelSDCAClassifier(gamma=1.0, **known),
}

figure, panels = plt.subplots(
    1,
    2,
    figsize=(6, 3),
    sharey=True,
    layout="constrained",
)
for axes, name in zip(panels, models, strict=True):
    model = models[name].fit(X, y)
    score = model.decision_function(grid)
    field = across, up, score.reshape(across.shape)
    sides = [-np.inf, 0, np.inf]
    colors = ["C0", "C1"]
    axes.contourf(
        *field, sides, colors=colors, alpha=0.15
    )
    axes.contour(*field, [-1, 0, 1], colors="grey")
    axes.scatter(*X.T, c=np.take(colors, y), s=14)
    if hasattr(model, "support_"):
        rows = X[model.support_].T
        ring = {
            "facecolors": "none",
            "edgecolors": "black",
        }
        axes.scatter(*rows, s=60, linewidths=0.6, **ring)
    share = 100 * model.dual_gap_ / model.objective_
    axes.set(title=f"{name}: gap {share:.2f} %")
plt.show()
