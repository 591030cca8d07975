"""A tiny study of two claims, and ways to run the app."""

import sys
from base64 import b64decode
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner

from fastsvm_apps.common.app import app
from fastsvm_apps.common.errors import AppError
from fastsvm_apps.studies.commands import study_commands as commands
from fastsvm_apps.studies.commands.gallery_command import gallery
from fastsvm_apps.studies.report.study_report import Claim, Figure, Report, Table, Verdict

PIXEL = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
HOSTILE = "</script><script>document.title = 'bad'</script>"


class Fake(ModuleType):
    """The package of a study; counts what it computes, and fails if it is told to."""

    def __init__(self):
        super().__init__("fake_study")
        self.computed, self.failure, self.claims, self.contexts = 0, None, claims(), []

    def compute(self, advance):
        self.computed += 1
        return {"error": np.arange(3) / 8}

    def run(self, context):
        if self.failure:
            raise self.failure
        self.contexts.append(context)
        error = context.part("work", self.compute, seed=context.seed, runs=context.runs)["error"]

        def draw(sheet):
            sheet.subplots().plot(error)

        return Report(
            title="A study of nothing",
            document=f"A. N. Other & Sons {HOSTILE} (1987)",
            data="Three numbers.",
            settings={"alpha": 0.5, "data": "none at all"},
            claims=self.claims,
            figures=[
                Figure("curve", "A curve", "It rises.", draw, size=(2.0, 1.5), source="figure 1"),
                Figure(
                    "photo",
                    "A photograph",
                    "It is small.",
                    lambda _: PIXEL,
                    size=(9.0, 4.5),
                    ending="gif",
                    shows_data=True,
                ),
            ],
            tables=[
                Table("errors", "Errors", "By run.", ("run", "error"), [[k, e] for k, e in enumerate(error)]),
                Table("all", "All", "Long.", ("=1+1",), [["secret"]], shown=False),
            ],
        )


def claims():
    return [
        Claim("It is 0.1 " + "everywhere " * 9, "0.1", "0.125 (0 to 0.25)", Verdict.HELD, "Near."),
        Claim(HOSTILE, "figure 2 | 3", "", Verdict.UNTESTED, "There is no data."),
    ]


@pytest.fixture
def fake(monkeypatch):
    """The fake study; it is the only one."""
    module = Fake()
    monkeypatch.setitem(sys.modules, "fastsvm_apps.studies.documents.fake", module)
    monkeypatch.setattr(commands, "STUDIES", {"fake": "A fake"})
    return module


@pytest.fixture
def run(fake, tmp_path, monkeypatch):
    """Run a command line inside an empty folder."""
    monkeypatch.chdir(tmp_path)
    made = [commands.study_command(name, title) for name, title in commands.STUDIES.items()]
    main = app("fastsvm-studies", "Help.", [*made, commands.all_studies, gallery])

    def run(*args, fails=None):
        fake.failure = fails and AppError(fails)
        return CliRunner().invoke(main, [*map(str, args)], prog_name="fastsvm-studies")

    return run
