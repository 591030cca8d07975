"""`python -m fastsvm` is `fastsvm`."""

from fastsvm_apps.vectors.cli import main

main(prog_name="fastsvm")
