"""Images in folders: how they are found and labelled."""

import csv
import os
import re

import pytest

from fastsvm_apps.cells.data.image_files import find_images, with_labels
from fastsvm_apps.common.errors import AppError


@pytest.fixture
def folder(tmp_path):
    """Make empty files; finding does not look into them."""
    top = tmp_path / "smears"

    def folder(*names):
        for name in names:
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).touch()
        return str(top)

    return folder


def names(files):
    return [file.name for file in files]


def test_a_folder_is_walked_in_order(folder):
    top = folder("b/2.JPG", "b/10.jpeg", "b/1.png", "a.tif", "c.tiff", "d.BmP", "a/deep/er/x.jpg")
    folder("notes.txt", ".hidden.jpg", ".cache/x.jpg", "b/._1.png", "x.jpg.part", "empty/none.csv")
    files = find_images([top])
    assert names(files) == ["a.tif", "c.tiff", "d.BmP", "a/deep/er/x.jpg", "b/1.png", "b/10.jpeg", "b/2.JPG"]
    assert [file.label for file in files] == [None, None, None, "er", "b", "b", "b"]
    assert all(os.path.isfile(file.path) and file.group is None for file in files)


def test_single_files_and_folders_within_folders(folder, tmp_path, monkeypatch):
    top = folder("a/1.jpg", "a/2.jpg", "b/3.jpg")
    monkeypatch.chdir(tmp_path)
    single = os.path.join("smears", "a", "1.jpg")
    found = find_images([single, top, os.path.join(top, "b")])
    assert [(file.name, file.label) for file in found] == [(single, None), ("a/2.jpg", "a"), ("b/3.jpg", "b")]
    (tmp_path / "scan").touch()
    assert names(find_images(["scan"])) == ["scan"]


def test_links_are_followed_but_never_in_a_circle(folder, tmp_path, capsys):
    top = folder("a/1.jpg")
    other = tmp_path / "other"
    other.mkdir()
    (other / "2.jpg").touch()
    for name, target in {"z": other, "a/up": top, "self": "self", "b.jpg": "missing"}.items():
        os.symlink(target, os.path.join(top, name))
    assert names(find_images([top])) == ["b.jpg", "a/1.jpg", "z/2.jpg"]
    assert "found again" not in capsys.readouterr().err
    os.symlink(f"{top}/a/1.jpg", f"{top}/z.jpg")
    os.symlink(top, tmp_path / "again")
    assert names(find_images([top, str(tmp_path / "again")])) == ["b.jpg", "z.jpg", "z/2.jpg"]
    told = "note: 5 images found again, by a link or in another source; each counts once\n"
    assert told in capsys.readouterr().err


def test_a_link_takes_no_files_from_a_folder_beside_it(folder):
    top = folder("a/1.jpg", "b/2.jpg", ".kept/3.jpg")
    for name, target in {"a/other": "b", "c": ".kept"}.items():
        os.symlink(os.path.join(top, target), os.path.join(top, name))
    assert names(find_images([top])) == ["a/1.jpg", "b/2.jpg", "c/3.jpg"]


def test_nothing_found(folder, tmp_path):
    top = folder("notes.txt")
    with pytest.raises(AppError, match=r"smears: no images \(jpg, png, tiff, bmp, webp, jp2\) found; give"):
        find_images([top])
    with pytest.raises(AppError, match=r"smears: contains no annotations \(\.xml\)"):
        find_images([folder("1.jpg")], labels=top)
    with pytest.raises(FileNotFoundError):
        find_images([str(tmp_path / "none")])


def test_files_of_other_kinds_are_counted_in_a_note(folder, capsys, monkeypatch):
    top = folder("a.jpg", "b.WEBP", "c.jp2", "d.txt", "e.txt", "f.xyz", "g")
    folder("a.xml", "b.csv", "c.json", "d.html")  # lie beside images
    assert names(find_images([top])) == ["a.jpg", "b.WEBP", "c.jp2"]
    told = f"note: {top}: 4 files of other kinds left out (2 .txt, 1 .xyz, 1 without an ending)\n"
    assert capsys.readouterr().err == told
    monkeypatch.setattr("fastsvm_apps.cells.data.slides.find_spec", lambda name: None)
    find_images([folder("h.svs")])
    assert capsys.readouterr().err.endswith('1 .svs); for slides: pip install "fastsvm[slides]"\n')


@pytest.fixture
def table(tmp_path):
    def table(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return table


THREE = ("a/1.jpg", "a/2.jpg", "b/1.jpg")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_labels_and_groups_from_a_table(folder, table, capsys, mark, ending):
    odd = os.fsdecode(b'caf\xe9, "x".jpg')
    content = f"{mark}id, file ,label,original\n1,b/1.jpg,x,\n\n2,2.jpg,y,p\n3,a/1.jpg,,p\n"
    content = content.encode() + b'4,"caf\xe9, ""x"".jpg",z,\n'
    both, top = table(content.replace(b"\n", ending.encode())), folder(*THREE, odd)
    found = {file.name: (file.label, file.group) for file in find_images([top], labels=both, groups=both)}
    expected = {"a/1.jpg": (None, "p"), "a/2.jpg": ("y", "p"), "b/1.jpg": ("x", None), odd: ("z", None)}
    assert found == expected
    found = {file.name: (file.label, file.group) for file in find_images([top], groups=both)}
    expected = {"a/1.jpg": ("a", "p"), "a/2.jpg": ("a", "p"), "b/1.jpg": ("b", None), odd: (None, None)}
    assert found == expected
    assert capsys.readouterr().err == ""
    more = table("file;label\nc.jpg;x\na/1.jpg;y\na/1.jpg;y\nd.jpg;x\n", "more.csv")
    assert [file.label for file in find_images([top], labels=more) if file.label] == ["y"]
    note = f"note: {more}, line 2: 'c.jpg' is not among the images, and 1 more\n"
    assert capsys.readouterr().err == note
    short = table("group,file\np,2.jpg\n", "short.csv")  # another name for the column
    assert {file.name for file in find_images([top], groups=short) if file.group == "p"} == {"a/2.jpg"}


def test_a_table_names_images_by_paths(folder, table, tmp_path, monkeypatch):
    top = folder(*THREE, "3.jpg")
    monkeypatch.chdir(tmp_path)
    for path in (
        f"{top}/b/1.jpg",
        "smears/b/1.jpg",
        "./b/1.jpg",
        "b\\1.jpg",
        ".\\b\\1.jpg",
        "C:\\Users\\me\\smears\\b\\1.jpg",
        "/elsewhere/b/1.jpg",
    ):
        labels = table(f"file,label\n{path},x\nsmears\\3.jpg,y\n")
        found = {file.name: file.label for file in find_images([top], labels=labels)}
        assert found == {"a/1.jpg": None, "a/2.jpg": None, "b/1.jpg": "x", "3.jpg": "y"}, path
    sources = [f"{top}/a", f"{top}/b"]  # both have an image 1.jpg
    found = find_images(sources, labels=table("file,label\nsmears/b/1.jpg,x\n2.jpg,y\n"))
    assert [file.label for file in found] == [None, "y", "x"]
    with pytest.raises(AppError, match=r"2 images are called 'C:.*1.jpg'; name the folder too"):
        find_images(sources, labels=table("file,label\nC:\\b\\1.jpg,x\n2.jpg,y\n"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-8-sig"])
def test_a_table_is_decoded_by_its_mark(folder, table, encoding):
    labels = table("file\tlabel\na/1.jpg\tGroße Zelle\n".encode(encoding))
    assert find_images([folder(*THREE)], labels=labels)[0].label == "Große Zelle"


@pytest.mark.parametrize("content", ["file,label\n".encode("utf-16-le"), "文件,label\n".encode("gb18030")])
def test_a_table_in_another_encoding(folder, table, content):
    with pytest.raises(AppError, match=r"no column 'file' among .*, and save the table in UTF-8$"):
        find_images([folder(*THREE)], labels=table(content + b"x"))


def test_labels_that_are_not_utf8_are_the_reason(folder, table):
    labels = table(b"file,label\na/1.jpg,Gro\xdfe\nb/1.jpg,Gro\xdfe\n")
    files = find_images([folder(*THREE)], labels=labels)
    told = "smears: no image has a label; 2 of 3 images: its label is not UTF-8; rename its folder, or save"
    with pytest.raises(AppError, match=told):
        with_labels(files, "smears")
    with pytest.raises(AppError, match="no image has a label; use one folder per label, or give --labels"):
        with_labels(files[1:2], "smears")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", ", line 1: no column 'file' among none; give columns file and label"),
        ("file;class\na/1.jpg;x\n", ", line 1: no column 'label' among file, class; give columns file and"),
        ("file,label\na/1.jpg\n", ", line 2: 1 fields, where the header has 2"),
        ("file,label\n\na/1.jpg,x\na/1.jpg,y\n", ", line 4: 'a/1.jpg' is 'y' here, but 'x' before"),
        ("file,label\n1.jpg,x\n", ", line 2: 2 images are called '1.jpg'; name the folder too"),
        ("file,label\nc/1.jpg,x\n", ", line 2: 'c/1.jpg' is not among the images, nor is any "),
        ("file,label\nc/1.jpg,x\n", "other; images have names like 'a/1.jpg'"),
        ('file,label\na/1.jpg,"' + "x" * 200_000 + '"\n', ", line 2: not CSV: field larger than field limit"),
    ],
)
def test_tables_that_cannot_be_used(folder, table, content, problem):
    labels = table(content)
    limit = csv.field_size_limit(1 << 17)
    try:
        with pytest.raises(AppError) as error:
            find_images([folder(*THREE)], labels=labels)
    finally:
        csv.field_size_limit(limit)
    assert str(error.value).startswith(labels)
    assert problem in str(error.value)


def voc(file, *names):
    objects = "".join(f"<object><name>{name}</name><bndbox/></object>" for name in names)
    return f"<annotation><filename>{file}</filename>{objects}</annotation>"


def test_labels_from_annotations(folder, tmp_path, table):
    (tmp_path / "xml").mkdir()
    for number, declared in ((1, "utf-8"), (5, "latin-1"), (6, "utf-16")):
        content = f'<?xml version="1.0" encoding="{declared}"?>' + voc(f"{number}.jpg", "Zelle ä", "Zelle ä")
        table(content.encode(declared), f"xml/{number}.xml")
    table(voc("2.jpg", "RBC", "Zelle ä", "RBC", "Platelets"), "xml/2.XML")
    table(voc("3.jpg"), "xml/3.xml")
    top = folder("1.jpg", "x/2.jpg", "3.jpg", "4.jpg", "5.jpg", "6.jpg")
    options = {"labels": str(tmp_path / "xml")}
    found = {os.path.basename(file.name): file.label for file in find_images([top], **options)}
    one = dict.fromkeys(["1.jpg", "5.jpg", "6.jpg"], "Zelle ä")
    assert found == {**one, "2.jpg": None, "3.jpg": None, "4.jpg": None}
    found = find_images([top], **options, classes=["Zelle ä"])
    assert {os.path.basename(file.name): file.label for file in found} == one | {"2.jpg": "Zelle ä"}
    with pytest.raises(AppError, match="no image has the label 'RBC'; the labels are: Zelle ä"):
        find_images([top], **options, classes=["Zelle ä", "RBC"])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("file,label\n", ": not XML: syntax error: line 1, column 0"),
        ("", ": not XML: no element found"),
        ('<?xml version="1.0" encoding="none"?><a/>', ": not XML: "),
        ("<html><body/></html>", ": contains no <filename>; give Pascal VOC annotations"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', ": has a document type; give Pascal VOC annotations"),
        (" " * 10_000_001, ": larger than 10,000,000 bytes, too large for an annotation"),
    ],
)
def test_annotations_that_cannot_be_used(folder, tmp_path, table, content, problem):
    (tmp_path / "xml").mkdir()
    path = table(content, "xml/1.xml")
    with pytest.raises(AppError) as error:
        find_images([folder("1.jpg")], labels=str(tmp_path / "xml"))
    assert str(error.value).startswith(path + problem)


def bomb(n):
    """An annotation whose file's name is of 10^n laughs."""
    entities = "".join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(n))
    return f'<!DOCTYPE a [<!ENTITY e0 "lol">{entities}]><annotation><filename>&e{n};</filename></annotation>'


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "latin-1", "cp037"],
)
def test_a_document_type_is_refused_in_every_encoding(folder, tmp_path, table, encoding, declared):
    (tmp_path / "xml").mkdir()
    name = encoding.removesuffix("-sig")
    head = f'<?xml version="1.0" encoding="{name}"?>' if declared else ""
    content = head + bomb(9 if encoding == "utf-8" else 2)  # Expat stops it, after a tenth of a second
    path = table(content.encode(encoding), "xml/1.xml")
    with pytest.raises(AppError) as error:
        find_images([folder("1.jpg")], labels=str(tmp_path / "xml"))
    # Expat does not read them all.
    assert re.fullmatch(re.escape(path) + ": (has a document type; .*|not XML: .*)", str(error.value))
    if encoding in ("utf-8", "utf-16"):
        assert "document type" in str(error.value)
