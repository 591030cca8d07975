"""
SDCA against Pegasos
====================

Both solvers minimise the objective of a support vector machine. SDCA optimises one dual variable at a time;
Pegasos takes shorter and shorter steps along sub-gradients. Each solver runs ten times, with the seeds 0 to
9. The line is the median, and the band contains eight of the ten runs. On a straight line, each epoch gains
the same factor.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from fastsvm import PegasosClassifier, SDCAClassifier
from fastsvm_apps.studies.race import compare

X, y = load_breast_cancer(return_X_y=True)
known = {"alpha": 0.01, "max_iter": 30}
averaged = PegasosClassifier(averaging="tail", **known)
solvers = {
    "SDCA": SDCAClassifier(**known),
    "Pegasos": PegasosClassifier(**known),
    "Pegasos, averaged": averaged,
}
race = compare(solvers, scale(X), y, runs=10)

figure, axes = plt.subplots(
    figsize=(5.5, 3.4), layout="constrained"
)
race.plot("epoch", "excess", axes)
axes.set_title("Distance from the optimum by epoch")
plt.show()
