"""`python -m benchmarks.cells`: white cells; its parts fields, labels and red_cells are commands as well."""

from .find import main

main()
