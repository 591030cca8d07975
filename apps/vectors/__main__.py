"""`python -m fastsvm_apps.vectors` is `fastsvm`."""

from .cli import main

main(prog_name="fastsvm")
