"""
Why did this cell get its label?
================================

A cell is described by 343 measurements of its size, shape, colours and texture. Each bar is a family of
measurements, compared with a cell halfway between two classes: the label, and the next likely one. Bars to
the right speak for the label, bars to the left for the next class.
"""

import matplotlib.pyplot as plt

from fastsvm_apps.cells.jobs.cell_explanation import explain_cell

IMAGE = "../../../data/cells/new/NEUTROPHIL/smear_48.jpg"  # from docs/examples/cells of a clone
FAMILIES = {
    "nucleus_": "shape of the nucleus",
    "cell_": "shape of the cell",
    "ratio_": "stain and grain of nucleus and cytoplasm",
    "whole_": "stain of the whole cell",
    "colour_": "colours of nucleus and cytoplasm",
}

found = explain_cell(IMAGE)
names = [FAMILIES[family] for family in found.families]
values = list(found.families.values())

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), width_ratios=(1, 2), layout="constrained")
left.imshow(plt.imread(IMAGE))
left.set(title=f"{found.likeliest.lower()}, {found.probabilities[found.likeliest]:.2f}")
left.set_axis_off()
right.barh(names, values, color=["C0" if value > 0 else "C1" for value in values])
right.axvline(0, color="black", linewidth=0.8)
right.invert_yaxis()
right.set(xlabel=f"log-odds of {found.likeliest.lower()} against {found.next.lower()}")
plt.show()

# %%
# The measurements that matter most:

for reason in found.reasons[:5]:
    print(f"{reason['name']:20} {reason['contribution']:+.2f}")
