"""
Find the white cells in a smear
===============================

`classify` finds the white cells of an image and gives each a class and a score between 0 and 1. Cells whose
score is too low stay unclassified. These images are drawn samples; pass a folder to classify all its images.
"""

from pathlib import Path

import matplotlib.pyplot as plt

from fastsvm_apps import cells

# The path from docs/examples/cells of a clone
SMEARS = Path("../../../data/cells/new")

images = [
    SMEARS / "MONOCYTE" / "smear_45.jpg",
    SMEARS / "NEUTROPHIL" / "smear_48.jpg",
    SMEARS / "NEUTROPHIL" / "smear_49.jpg",
]
found = cells.classify(images, min_score=0)

figure, panels = plt.subplots(
    1, 3, figsize=(6, 2.4), layout="constrained"
)
for axes, file in zip(
    panels, found.findings, strict=True
):
    axes.imshow(plt.imread(file.file))
    for cell in file.cells:
        x, y, width, height = cell.box
        box = plt.Rectangle((x, y), width, height)
        box.set(fill=False, edgecolor="yellow")
        axes.add_patch(box)
        title = f"{cell.label.lower()} {cell.score:.2f}"
        axes.set_title(title, fontsize=11)
    axes.set_axis_off()
plt.show()

# %%
# The result contains the counts, too, with 95 % intervals of the percentages:

for label, n in found.labels.items():
    low, high = found.interval(label)
    percent = f"{found.percent(label):5.1f} %"
    interval = f"({low:.1f} to {high:.1f} %)"
    print(f"{label:12} {n}  {percent}  {interval}")
