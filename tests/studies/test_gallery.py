"""Pages of the documentation are what is made of the reports beside them."""

import io
import json
import os

import numpy as np
import pytest
from PIL import Image

from fastsvm_apps.common.errors import AppError
from fastsvm_apps.studies.report import docs_pages
from fastsvm_apps.studies.report.records import read_record


def test_a_gallery_of_all(run, tmp_path):
    assert run("all").exit_code == 0
    done = run("gallery", "studies", "-o", "docs")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.split() == ["docs/fake.md", "docs/README.md"]
    docs = tmp_path / "docs"
    assert {*os.listdir(docs)} == {"fake", "fake.md", "README.md"}
    assert {*os.listdir(docs / "fake")} == {"curve.png", "report.json"}
    text = (docs / "fake.md").read_text()
    assert "![A curve](fake/curve.png)" in text
    (row,) = (line for line in text.splitlines() if line.startswith("| cannot be tested"))
    assert r"figure 2 \| 3" in row
    assert "All 4 comparisons behind the verdicts" in text
    assert "<script>" not in text.replace(r"\<", "")
    assert "| [fake](fake.md) |" in (docs / "README.md").read_text()
    # A picture that is not in the report any more goes, what is somebody else's stays.
    record = json.loads((tmp_path / "studies" / "fake" / "report.json").read_text())
    record["figures"] = []
    (tmp_path / "studies" / "fake" / "report.json").write_text(json.dumps(record))
    (docs / "fake" / "notes.txt").touch()
    assert run("gallery", "studies/fake", "-o", "docs").exit_code == 0
    assert {*os.listdir(docs / "fake")} == {"notes.txt", "report.json"}


def test_what_is_no_report_is_said(run, tmp_path):
    (tmp_path / "empty").mkdir()
    done = run("gallery", "empty", "-o", "docs")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "error: empty: has no report.json; run a study with -o empty first\n"
    for text in "{", "[]", '{"study": "fake"}', '{"study": "..", "figures": [], "claims": []}':
        (tmp_path / "empty" / "report.json").write_text(text)
        with pytest.raises(AppError, match="no report of a study"):
            read_record(str(tmp_path / "empty"))


def test_pages_of_others_stay(run, tmp_path):
    run("fake")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "README.md").write_text("# Mine\n")
    done = run("gallery", "fake", "-o", "docs")
    assert done.exit_code == 2
    assert "is not a page of fastsvm-studies gallery; it is not replaced" in done.stderr
    assert os.listdir(tmp_path / "docs") == ["README.md"]


def test_pictures_become_small(monkeypatch):
    monkeypatch.setattr(docs_pages, "LIMIT_BYTES", 25_000)
    noise = np.random.default_rng(0).integers(0, 256, (150, 300, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, format="PNG")
    small = docs_pages.small_picture(file.getvalue(), "noise.png")
    assert len(small) <= docs_pages.LIMIT_BYTES < file.tell()
    with Image.open(io.BytesIO(small)) as image:
        assert image.width / image.height == pytest.approx(2, rel=0.02)
    assert docs_pages.small_picture(small, "noise.png") is small
    with pytest.raises(AppError, match=r"noise\.png: .*run the study again"):
        docs_pages.small_picture(b"no picture", "noise.png")
    moving = io.BytesIO()
    frames = [Image.fromarray(np.roll(noise, k, axis=0)) for k in range(2)]
    frames[0].save(moving, "GIF", save_all=True, append_images=frames[1:])
    with pytest.raises(AppError, match="draw less"):
        docs_pages.small_picture(moving.getvalue(), "noise.gif")
