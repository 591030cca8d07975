"""White cells, red cells and platelets: boxes, labels and times."""
