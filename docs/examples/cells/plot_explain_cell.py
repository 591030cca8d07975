"""
Why did this cell get its label?
================================

A cell is described by 343 measurements of its size, shape, colours and texture. Each adds to the score of
the label, or takes from it. Bars to the right speak for the label, bars to the left for the next class. The
last bar is the sum of all measurements that are not shown: many small ones together often decide.
"""

import matplotlib.pyplot as plt

from fastsvm_apps.cells.jobs.cell_explanation import explain_cell

IMAGE = "../../../data/cells/new/NEUTROPHIL/smear_48.jpg"  # from docs/examples/cells of a clone

found = explain_cell(IMAGE)
names = [reason["name"] for reason in found.reasons] + ["all others"]
values = [reason["contribution"] for reason in found.reasons] + [found.rest]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), width_ratios=(1, 2), layout="constrained")
left.imshow(plt.imread(IMAGE))
left.set(title=f"{found.likeliest.lower()}, {found.probabilities[found.likeliest]:.2f}")
left.set_axis_off()
right.barh(names, values, color=["C0" if value > 0 else "C1" for value in values])
right.axvline(0, color="black", linewidth=0.8)
right.invert_yaxis()
right.set(xlabel=f"log-odds of {found.likeliest.lower()} against {found.next.lower()}")
plt.show()
