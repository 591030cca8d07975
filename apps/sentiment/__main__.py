"""`python -m fastsvm_apps.sentiment` is `fastsvm-sentiment`."""

from .cli import main

main(prog_name="fastsvm-sentiment")
