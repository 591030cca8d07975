"""Which commands of an app import packages that they need not wait for."""

import subprocess
import sys

HEAVY = ("sklearn", "scipy.stats", "pandas", "joblib", "matplotlib")

CODE = """
import sys
from fastsvm_apps.{app}.cli import main
for name, args in {commands!r}.items():
    try:
        main(args)
    except SystemExit as end:
        assert end.code == 0
    found = [each for each in {heavy!r} if each in sys.modules]
    if found:
        print(name, "imported", *found, file=sys.stderr)
        break
"""


def imported(app, commands, places, cwd, heavy=HEAVY):
    """Run commands, a dict of their names to their lines, in a process of their own: what it complains of.

    A word that is one of `places` stands for what that says.
    """
    commands = {name: [places.get(arg, arg) for arg in line.split()] for name, line in commands.items()}
    code = CODE.format(app=app, commands=commands, heavy=heavy)
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stderr
