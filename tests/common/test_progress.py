"""Progress: what is timed, what a waiting user sees, and that results never get into it."""

import os
import subprocess

import pytest

from fastsvm_apps.common.progress import Stages
from processes import on_terminal

pytest.importorskip("pty")


SCRIPT = """
import sys, time
from fastsvm_apps.common.printing import note
from fastsvm_apps.common.progress import Stages
with Stages({options}) as stage:
    with stage("read"):
        time.sleep({seconds})
    with stage("work", total=1200) as advance:
        for _ in range(600):
            advance()
        print("result")
        note("a note")
        print("a print", file=sys.stderr)
        time.sleep({seconds})
        {last}
"""


def on_a_terminal(options, seconds=0, last="", returncode=0):
    """Run the script with a terminal for stderr only; return what arrives there and on stdout."""
    command = "-c", SCRIPT.format(options=options, seconds=seconds, last=last)
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"}
    found = on_terminal(command, returncode, stdout=subprocess.PIPE, env=environment)
    return tuple(content.decode() for content in found)


def test_a_waiting_user_sees_the_stage_and_how_far_it_is():
    shown, stdout = on_a_terminal("spinner=True, patience=0.05", seconds=0.5)
    assert stdout == "result\n"
    for text in (" read", " work", "━", " 50% ", "\x1b[2Ka note\r\n", "\x1b[2Ka print\r\n"):
        assert text in shown
    assert shown.index("read") < shown.index("work")


@pytest.mark.parametrize(
    ("options", "stages"),
    [
        ("spinner=False, patience=0", ""),
        ("spinner=True, patience=60", ""),
        ("verbose=True, spinner=True, patience=0", "read ...\r\nwork ...\r\n"),
    ],
)
def test_others_see_no_bar(options, stages):
    assert on_a_terminal(options) == (f"{stages}a note\r\na print\r\n", "result\n")


def test_ctrl_c_gives_the_terminal_back():
    script = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    shown, _ = on_a_terminal("spinner=True, patience=0.01", seconds=0.3, last=script, returncode=-2)
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")  # the cursor
    assert "KeyboardInterrupt" in shown


def test_the_seconds_begin_anew_when_stages_are_entered_again():
    stage = Stages()
    with stage, stage("train"):
        pass
    seconds = stage.seconds
    with stage, stage("report"):
        pass
    assert ([*seconds], [*stage.seconds]) == (["train"], ["report"])


def test_the_bar_of_stages_that_are_entered_again():
    again = """
with stage, stage("report"):
    time.sleep(0.5)
"""
    shown, _ = on_a_terminal("spinner=True, patience=0.05", seconds=0.3, last=f"pass{again}")
    assert shown.index(" work") < shown.index(" report")
