"""The golden record: whether two trees give the same bits, files, outputs and messages, on one machine.

    python tests/golden record OUT.json     # of the fastsvm that this Python has
    python tests/golden compare A.json B.json
    python tests/golden names               # write public_names.txt, with which a test compares

To compare with another tree, run the same script with the Python that has that one.
Bits differ between processors and versions of NumPy, so none is kept. `compare` ends with 1 if results
differ. What commands take is printed where it grew: memory and modules by 5 %, CPU seconds by half.
"""

import json
import os
import platform
import sys
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read as NumPy is loaded
sys.path[0] = str(Path(__file__).resolve().parents[1])  # as pytest has it; an installed fastsvm is measured


def record(path):
    """Write all that is compared."""
    import numpy

    from golden import commands

    results, figures = commands.record()  # before the fits: a process begins with the memory of its parent
    from golden import fits, public_names

    sections = {
        "fits": fits.record(),
        "commands": results,
        "names": dict.fromkeys(public_names.names(), "there"),
        "figures": figures,
    }
    about = {"machine": [platform.processor(), platform.python_version(), numpy.__version__]}
    Path(path).write_text(json.dumps(about | sections, indent=1), encoding="utf-8")
    print(len(sections["fits"]), "fits,", len(results), "commands,", len(sections["names"]), "names")


def names():
    """Write the list of public names."""
    from golden.public_names import LIST, names

    LIST.write_text("".join(f"{line}\n" for line in names()), encoding="utf-8")


def differences(old, new, place=""):
    """Yield where two values differ, down to the first that is no dict or list of the same length."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            yield from differences(old.get(name, "-"), new.get(name, "-"), f"{place} / {name}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for n, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{place} / {n}")
    elif old != new:
        yield place, old, new


def compare(old, new):
    """Print how two records differ; 1 if their results do."""
    old, new = (json.loads(Path(path).read_text(encoding="utf-8")) for path in (old, new))
    taken = old.pop("figures"), new.pop("figures")
    for each in (*old["commands"].values(), *new["commands"].values()):
        del each["modules"]  # their number is among the figures
    found = list(differences(old, new))
    for place, *values in found:
        print(place.removeprefix(" / "), *(f"    {str(value)[:300]}" for value in values), sep="\n")
    for place, one, other in differences(*taken):
        if "-" not in (one, other) and other > (1.5 if "CPU" in place else 1.05) * one:
            print(f"{place}: {one} -> {other}")
    cases = [(part, name) for part in ("fits", "commands") for name in new[part]]
    same = sum(new[part][name] == old[part].get(name) for part, name in cases)
    print(f"{len(found)} differences; {same} of {len(cases)} fits and commands are the same")
    return bool(found)


if __name__ == "__main__":
    sys.exit({"record": record, "compare": compare, "names": names}[sys.argv[1]](*sys.argv[2:]))
