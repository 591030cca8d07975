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
from fastsvm_apps.studies.report import records, verdicts
from fastsvm_apps.studies.report.runs import Measured
from fastsvm_apps.studies.report.study import Figure, Findings, Table
from fastsvm_apps.studies.report.verdicts import Claim, Found, Region, exactly

PIXEL = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
HOSTILE = "</script><script>document.title = 'bad'</script>"
CLAIMS = (
    Claim(
        "fake",
        "small",
        "It is 0.2 " + "everywhere " * 9,
        "0.2",
        "",
        Region.of("below 0.2", ""),
        "",
        "Near.",
        "",
    ),
    Claim("fake", "other", HOSTILE, "figure 2 | 3", "usps", Region.of("above 0", "%"), "%", "", ""),
)
WORDS = {"caption": "It rises.", "source": "", "differs": ""}
CAPTIONS = {
    ("fake", "curve"): WORDS | {"title": "A curve", "source": "figure 1"},
    ("fake", "photo"): WORDS | {"title": "A photograph"},
    ("fake", "errors"): WORDS | {"title": "=1+1"},
}


class Fake(ModuleType):
    """The module of a study; counts what it computes, and fails if it is told to."""

    TITLE, DOCUMENT = "A study of nothing", f"A. N. Other & Sons {HOSTILE} (1987)"

    def __init__(self):
        super().__init__("fake_study")
        self.computed, self.failure, self.contexts = 0, None, []

    def compute(self, advance):
        self.computed += 1
        return {"error": np.arange(3) / 8}

    def measure(self, context):
        if self.failure:
            raise self.failure
        self.contexts.append(context)
        error = context.part("work", self.compute, seed=context.seed, runs=context.runs)["error"]
        measured = Measured("Three numbers.", settings={"alpha": 0.5}, hashes={"numbers": "12ab"})
        measured.runs.add("work", error=error)
        measured.pictures["photo"] = PIXEL
        return measured

    def findings(self, measured):
        error = measured.runs["work", "", "", ""]["error"][:, 0]
        figures = [Figure("curve", lambda sheet: sheet.subplots().plot(error) and None, (2.0, 1.5))]
        if photo := measured.pictures.get("photo"):
            figures.append(Figure("photo", lambda _: photo, (9.0, 4.5), ending="gif", shows_data=True))
        cases = {"first": exactly(error[0]), "second": exactly(error[1])}
        found = {"small": Found(cases, {"third": exactly(error[2])}), "other": Found({"": exactly(1.0)})}
        return Findings(
            found, figures, [Table("errors", ("=1+1", "error"), [[k, e] for k, e in enumerate(error)])]
        )


@pytest.fixture
def fake(monkeypatch):
    """The fake study; it is the only one."""
    module = Fake()
    monkeypatch.setitem(sys.modules, "fastsvm_apps.studies.documents.fake", module)
    monkeypatch.setattr(commands, "STUDIES", {"fake": "A fake"})
    monkeypatch.setattr(verdicts, "claims_of", lambda study: CLAIMS)
    monkeypatch.setattr(records, "captions", lambda: CAPTIONS)
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
