"""`python -m fastsvm_apps.studies` is `fastsvm-studies`."""

from .cli import main

main(prog_name="fastsvm-studies")
