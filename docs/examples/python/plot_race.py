"""
SDCA against Pegasos
====================

Both minimise the hinge of a support vector machine. SDCA moves one dual variable exactly; Pegasos takes steps
along sub-gradients, shorter and shorter. Ten runs each, with the seeds 0 to 9: the line is the median, the
band has eight of the ten. A straight line gains the same factor in each epoch.
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
