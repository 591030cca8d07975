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
solvers = {
    "SDCA": SDCAClassifier(alpha=0.01, max_iter=30),
    "Pegasos": PegasosClassifier(alpha=0.01, max_iter=30),
    "Pegasos, averaged": PegasosClassifier(alpha=0.01, max_iter=30, averaging="tail"),
}
race = compare(solvers, scale(X), y, runs=10)

figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
race.plot("epoch", "excess", axes).set_title("Distance from the optimum after each epoch")
plt.show()
