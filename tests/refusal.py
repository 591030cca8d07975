"""A command that refuses what it is asked."""

import re


def assert_refused(result, exit_code, pattern):
    """Check that it has no result, and says what to do in one line of stderr, perhaps after notes."""
    assert (result.exit_code, result.stdout) == (exit_code, ""), (result.stderr, result.exception)
    assert re.fullmatch(rf"(note: .*\n)*error: .*{pattern}.*\n", result.stderr), result.stderr
