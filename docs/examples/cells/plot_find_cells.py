"""
Find the white cells in a smear
===============================

`classify` finds the white cells of an image and gives each a class and a score between 0 and 1. Cells whose
score is too low stay unclassified. The images are drawn samples; give a folder to count all its images.
"""

from pathlib import Path

import matplotlib.pyplot as plt

from fastsvm_apps import cells

SMEARS = Path("../../../data/cells/new")  # this script lies in docs/examples/cells of a clone

images = [*(SMEARS / "NEUTROPHIL").glob("*.jpg"), *(SMEARS / "MONOCYTE").glob("*.jpg")][:4]
found = cells.classify(sorted(images), min_score=0)

figure, panels = plt.subplots(1, len(images), figsize=(10, 2.8), layout="constrained")
for axes, file in zip(panels, found.findings, strict=True):
    axes.imshow(plt.imread(file.file))
    for cell in file.cells:
        x, y, width, height = cell.box
        axes.add_patch(plt.Rectangle((x, y), width, height, fill=False, color="yellow"))
        axes.set_title(f"{cell.label.lower()} {cell.score:.2f}", fontsize=13)
    axes.set_axis_off()
plt.show()

# %%
# The result also has the counts, with 95 % intervals:

for label, n in found.labels.items():
    low, high = found.interval(label)
    print(f"{label:12} {n}  {found.percent(label):5.1f} %  ({low:.1f} to {high:.1f} %)")
