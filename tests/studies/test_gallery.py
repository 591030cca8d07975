"""Pages of the documentation are what is made of the reports beside them."""

import io
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fastsvm_apps.common.errors import AppError
from fastsvm_apps.studies.frame.study_list import STUDIES
from fastsvm_apps.studies.output import markdown_gallery, small_pictures
from fastsvm_apps.studies.output.study_record import document_figures, read_record

DOCS = Path(__file__).parents[2] / "docs" / "studies"


def test_the_committed_pages_are_what_the_reports_make():
    records = markdown_gallery.reports_in(str(DOCS))
    assert {record["study"] for record in records.values()} <= {*STUDIES}
    for folder, record in records.items():
        study = record["study"]
        text = (DOCS / f"{study}.md").read_text(encoding="utf-8")
        assert text == markdown_gallery.markdown_page(record)
        assert f"{study}.md" in (DOCS / "README.md").read_text(encoding="utf-8")
        pictures = set(re.findall(rf"\]\({study}/(.*?)\)", text))
        assert {*os.listdir(folder)} == {*pictures, "report.json"}
        assert all((Path(folder) / name).stat().st_size <= small_pictures.LIMIT for name in pictures)
        assert not record["quick"]
        assert (r"P\* is the lowest objective" in text) is (r"P\*" in text.partition("| verdict")[2])
    index = markdown_gallery.markdown_index(list(records.values()))
    assert (DOCS / "README.md").read_text(encoding="utf-8") == index
    assert {path.stem for path in DOCS.glob("*.md")} - {"README"} == {r["study"] for r in records.values()}


@pytest.mark.parametrize("study", STUDIES)
def test_every_figure_of_a_document_has_ours(study):
    record = read_record(str(DOCS / study))
    made = {thing["source"] for thing in (*record["figures"], *record["tables"])}
    page = (DOCS / f"{study}.md").read_text(encoding="utf-8")
    rows = [(number, *words) for (name, number), words in document_figures().items() if name == study]
    for number, caption, differs in rows:
        assert number in made
        line = f"The document's {number}: {caption}. What differs: {differs}."
        assert markdown_gallery.escape_markdown(line) in page
    assert len(rows) >= 4


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
    assert "On its own page the study also has:\n\n- A photograph\n- Errors\n- All\n" in text
    (row,) = (line for line in text.splitlines() if line.startswith("| cannot be tested"))
    assert r"figure 2 \| 3" in row
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
    monkeypatch.setattr(small_pictures, "LIMIT", 25_000)
    noise = np.random.default_rng(0).integers(0, 256, (150, 300, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, format="PNG")
    small = small_pictures.small_picture(file.getvalue(), "noise.png")
    assert len(small) <= small_pictures.LIMIT < file.tell()
    with Image.open(io.BytesIO(small)) as image:
        assert image.width / image.height == pytest.approx(2, rel=0.02)
    assert small_pictures.small_picture(small, "noise.png") is small
    with pytest.raises(AppError, match=r"noise\.png: .*run the study again"):
        small_pictures.small_picture(b"no picture", "noise.png")
