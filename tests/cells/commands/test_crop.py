"""crop: where the cells are, and what is cut out."""

import os

import cv2
import numpy as np

from csv_rows import rows_of
from drawing import overlap
from fastsvm_apps.cells.finding.document_crop import SIZE, locate_report, without_frame
from refusal import assert_refused

COLUMNS = ["file", "cell", "x", "y", "w", "h", "cx", "cy", "area", "status"]


def box_of(row):
    return tuple(int(row[name]) for name in "xywh")


def test_boxes_and_crops(run, smears, work):
    result = run("crop", smears, "-o", "crops")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("46 white cells in 42 images, 2 of them without a white cell\n")
    rows = rows_of("crops/boxes.csv")
    assert list(rows[0]) == COLUMNS
    assert [row["status"] for row in rows] == ["no white cell"] * 2 + ["ok"] * 46
    truths = rows_of(smears / "boxes.csv")
    for row in rows[2:]:
        box = box_of(row)
        assert max(overlap(box, box_of(t)) for t in truths if t["file"] == row["file"]) > 0.5
        crop = cv2.imread(str(work / "crops" / f"{row['file'][:-4]}_{row['cell']}.png"))
        x, y, w, h = box
        assert crop.shape == (h, w, 3)
        image = cv2.imread(str(smears / row["file"]))
        np.testing.assert_array_equal(crop, image[y : y + h, x : x + w])
    assert sum(len(files) for _, _, files in os.walk("crops")) == 47


def test_only_the_table(run, folder, work):
    top = folder(0, 40)
    printed = run("crop", top, "-o", "-").stdout
    assert [row["status"] for row in rows_of(printed)] == ["ok", "no white cell"]
    assert run("crop", top, "-o", "boxes.csv").exit_code == 0
    assert run("crop", top, "-o", "crops", "--size", 100).exit_code == 0
    assert (work / "boxes.csv").read_text() == (work / "crops/boxes.csv").read_text() == printed
    names = sorted(path.name for path in work.rglob("*") if path.is_file())
    assert names == ["boxes.csv", "boxes.csv", "smear_00_1.png"]
    assert cv2.imread("crops/smear_00_1.png").shape == (100, 100, 3)


def test_the_documents_crops(run, folder, work):
    top = folder(0, 1)
    for path, kind in zip(sorted(top.iterdir()), ("A", "B"), strict=True):
        (top / kind).mkdir()
        path.rename(top / kind / path.name)
    cv2.imwrite(str(top / "plain.png"), np.full((240, 320, 3), (228, 220, 232), np.uint8))
    done = run("crop", top, "-o", "crops", "--style", "document", "--gray", "--negative", "--steps", "steps")
    assert done.stdout.startswith("2 white cells in 3 images, 1 of them too dark or without contrast\n")
    nothing, *rows = rows_of("crops/boxes.csv")
    assert (nothing["file"], nothing["x"]) == ("plain.png", "")
    assert nothing["status"] == "nothing to measure: no contrast"
    for row in rows:
        x, y, w, h = box_of(row)
        center = int(row["cx"]), int(row["cy"])
        image = cv2.imread(str(top / row["file"]))
        assert ((w, h), row["area"]) == ((SIZE, SIZE), "")
        assert center == locate_report(image)
        gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)[y : y + h, x : x + w]
        crop = cv2.imread(f"crops/{row['file'][:-4]}_1.png", cv2.IMREAD_UNCHANGED)
        np.testing.assert_array_equal(crop, 255 - without_frame(gray))
        assert crop[center[1] - y, center[0] - x] > np.median(crop) + 40  # what is stained is bright
    steps = {
        path.relative_to(work / "steps").as_posix(): cv2.imread(str(path)).shape
        for path in (work / "steps").rglob("*.png")
    }
    assert steps.keys() == {"A/smear_00_steps.png", "B/smear_01_steps.png", "plain_steps.png"}
    assert len(set(steps.values())) == 1  # two rows of four


def test_other_crops_in_gray_and_negative(run, folder, work):
    top = folder(0)
    for name, options in (
        ("plain", ()),
        ("gray", ("--gray",)),
        ("negative", ("--negative", "--steps", "steps")),
    ):
        assert run("crop", top, "-o", name, *options).exit_code == 0
    plain, gray, negative = (
        cv2.imread(f"{name}/smear_00_1.png", cv2.IMREAD_UNCHANGED) for name in ("plain", "gray", "negative")
    )
    np.testing.assert_array_equal(gray, cv2.cvtColor(plain, cv2.COLOR_BGR2GRAY))
    np.testing.assert_array_equal(negative, 255 - plain)
    sheet = cv2.imread("steps/smear_00_steps.png")
    image, usual, stained, outlined = (sheet[49:289, left : left + 320] for left in range(9, 1320, 330))
    np.testing.assert_array_equal(image, cv2.imread(str(top / "smear_00.jpg")))
    drawn = (outlined != usual).any(axis=2)
    assert drawn.any()
    assert not outlined[drawn].any()  # in black
    (x, y, w, h) = box_of(rows_of("plain/boxes.csv")[0])
    for picture in stained, drawn:
        assert picture[y : y + h, x : x + w].sum() > 0.9 * picture.sum()


def test_places_and_crops_are_in_pixels_of_the_file(run, enlarged, work):
    boxes = []
    for top, width in zip(enlarged, (160, 80), strict=True):
        assert run("crop", top, "-o", "crops", "--cell-width", width).exit_code == 0
        boxes.append([box_of(row) for row in rows_of("crops/boxes.csv")])
        assert cv2.imread("crops/smear_04_1.png").shape[:2] == boxes[-1][0][:1:-1]
    np.testing.assert_allclose(boxes[0], 2 * np.array(boxes[1]), atol=5)


def test_names_are_mirrored(run, folder, work, tmp_path):
    folder(0, name="smears/ein Dossier/été 細胞")
    top = folder(1)
    (top / "smear_01.jpg").rename(top / "a b, c.jpg")
    image = cv2.imread(str(top / "a b, c.jpg"))
    cv2.imwrite(str(top / "a b, c.png"), image)
    odd = os.fsdecode(os.fsencode(str(top)) + b"/caf\xe9.jpg")
    with open(odd, "wb") as file:
        file.write((top / "a b, c.jpg").read_bytes())
    assert run("crop", top, "-o", "crops").exit_code == 0
    names = {os.fsencode(path.relative_to(work / "crops")) for path in (work / "crops").rglob("*.png")}
    plain = {b"a b, c.jpg_1.png", b"a b, c.png_1.png", b"caf\xe9_1.png"}
    assert names == plain | {"ein Dossier/été 細胞/smear_00_1.png".encode()}
    content = (work / "crops/boxes.csv").read_bytes()
    assert b"\ncaf\xe9.jpg,1," in content
    assert b'\n"a b, c.png",1,' in content


def test_crops_stay_in_their_folder(run, folder, work):
    top = folder(0, 1)
    assert run("crop", "../smears/smear_00.jpg", top / "smear_01.jpg", "-o", "crops").exit_code == 0
    assert len(list((work / "crops").rglob("*.png"))) == 2
    assert sorted(path.name for path in work.parent.iterdir()) == ["smears", "work"]
    assert sorted(path.name for path in top.iterdir()) == ["smear_00.jpg", "smear_01.jpg"]


def test_earlier_crops_are_not_cropped_again(run, folder, work):
    top = folder(0, 1)
    for _ in range(2):
        assert run("crop", top, "-o", top / "crops").stdout.startswith("2 white cells in 2 images\n")
        (top / "crops/notes.txt").write_text("mine")
    assert (top / "crops/notes.txt").read_text() == "mine"
    inside = run("crop", top, "-o", top.parent)
    assert_refused(inside, 1, "all images are in it; choose another folder for the results")


def test_two_images_of_one_name(run, folder):
    first, second = folder(0, name="a"), folder(0, name="b")
    both = run("crop", first, second, "-o", "crops")
    assert_refused(both, 1, "would have one name; rename a file, or process their folders separately")


def test_bad_images(run, bad, problems, work):
    result = run("crop", bad, "-o", "crops")
    assert result.exit_code == 3
    told = [f"{bad}, {name}: {problem}" for name, problem in problems.items()]
    assert result.stderr.splitlines() == [*told, f"{bad}: 3 skipped"]
    status = {row["file"]: row["status"].removeprefix("skipped: ") for row in rows_of("crops/boxes.csv")}
    assert status == {"smear_00.jpg": "ok", "smear_20.jpg": "ok", **problems}
    assert run("crop", bad, "-o", "-", "-q").stderr == ""
