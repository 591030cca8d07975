"""A command that refuses what it is asked: one line on stderr that says what to do, and no result."""

import re
from pathlib import Path


def assert_refused(result, exit_code, pattern):
    """Check it of a command that was run in an empty folder; notes may come before the line."""
    assert result.exit_code == exit_code, (result.stderr, result.exception)
    assert result.stdout == ""
    assert re.fullmatch(rf"(note: .*\n)*error: .*{pattern}.*\n", result.stderr), result.stderr
    assert not list(Path.cwd().iterdir())
