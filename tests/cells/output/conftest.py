"""The counts and cells of a page."""

from types import SimpleNamespace

import pytest

from fastsvm_apps.cells.finding.first_look import FirstLook
from fastsvm_apps.cells.jobs.cell_classification import CellClassification
from fastsvm_apps.cells.learning.model_notes import ModelNotes
from fastsvm_apps.cells.output.report_page import ReportTally
from fastsvm_apps.cells.settings import ClassifySettings


@pytest.fixture(scope="session")
def tally_of():
    """Return what counts findings, of a model that is only its names."""

    def tally_of(findings, classes, limit=1000, name="m.safetensors", title="Slide 3"):
        about = ModelNotes(kind=None, cautious=None)
        model = SimpleNamespace(name=name, classes=[*classes], about=about)
        model.least = model.least_unfamiliar = lambda *_: 0.5
        count = CellClassification(model, [], ClassifySettings(), FirstLook(80.0))
        count.source = title
        tally = ReportTally(count, limit)
        for found in findings:
            count.add(found)
            tally.add(found)
        return tally

    return tally_of
