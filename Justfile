# One target for each thing that a developer does; `just` lists them. Each line also works when typed by hand.

python := "python3"

# Build the kernels and install fastsvm as editable, with all developer tools.
build:
    {{python}} -m pip install "setuptools>=77" "Cython>=3.1"
    {{python}} -m pip install --no-build-isolation -e ".[dev]"

# Default tests, on all cores.
test *args:
    {{python}} -m pytest -n auto --dist worksteal {{args}}

# All that a change must pass, in a clean copy: at most 12 minutes on 2 cores.
ci:
    bash .ci/run

# Slow tests, other processors' BLAS, fuzzing, sanitizers: at most 30 minutes on 2 cores.
thorough:
    bash .ci/thorough

# Style, spelling and types.
lint:
    ruff check
    ruff format --check
    cython-lint fastsvm apps
    mypy
    git ls-files -z | xargs -0 codespell

# The site, in docs/_build/index.html; a link that leads nowhere stops it.
site:
    {{python}} -m sphinx -W -q docs docs/_build

# Draw the studies again, and the pages in docs/studies from them.
docs data out="/tmp/studies":
    fastsvm-studies all --data {{data}} -o {{out}}
    fastsvm-studies gallery {{out}} -o docs/studies

# A benchmark against peers: all, linear, text, kernel or cells.
bench name *args:
    {{python}} -m benchmarks.{{name}} {{args}}
