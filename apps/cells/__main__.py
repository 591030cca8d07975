"""`python -m fastsvm_apps.cells` is `fastsvm-cells`."""

from .cli import main

main(prog_name="fastsvm-cells")
