"""
Why did this cell get its label?
================================

A cell is described by 343 features of its size, shape, colours and texture. Each bar is the contribution of a
family of features, compared with a cell halfway between two classes: the label and the second most likely
class. Bars to the right favour the label, bars to the left the second class.
"""

import matplotlib.pyplot as plt

from fastsvm_apps.cells.jobs.cell_explanation import (
    explain_cell,
)

# The path from docs/examples/cells of a clone
SMEARS = "../../../data/cells/new"
IMAGE = f"{SMEARS}/NEUTROPHIL/smear_48.jpg"
FAMILIES = {
    "nucleus_": "shape of nucleus",
    "cell_": "shape of cell",
    "ratio_": "stain and grain",
    "whole_": "stain of the cell",
    "colour_": "colours",
}

found = explain_cell(IMAGE)
names = [FAMILIES[family] for family in found.families]
values = list(found.families.values())
label = found.likeliest.lower()
probability = found.probabilities[found.likeliest]

figure, (left, right) = plt.subplots(
    1,
    2,
    figsize=(6, 2.8),
    width_ratios=(1, 2),
    layout="constrained",
)
left.imshow(plt.imread(IMAGE))
left.set(title=f"{label}, {probability:.2f}")
left.set_axis_off()
colors = ["C0" if each > 0 else "C1" for each in values]
right.barh(names, values, color=colors)
right.axvline(0, color="black", linewidth=0.8)
right.invert_yaxis()
right.set_xlabel(f"log-odds against {found.next.lower()}")
plt.show()

# %%
# The features that matter most:

for reason in found.reasons[:5]:
    name, share = reason["name"], reason["contribution"]
    print(f"{name:20} {share:+.2f}")
