"""review: the page that is served, what it keeps, and a hundred corrections from the mouse to a new model."""

import html
import json
import shutil
import signal
import socket
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
from devtools import browser

from browser import needs_chromium
from fastsvm_apps.cells.jobs.cell_classification import find_known_images
from refusal import assert_refused


@pytest.fixture
def serve(start, model):
    """Serve the cells of a folder; return the process and the address."""

    def serve(top, *more):
        process = start("review", top, "-m", model, *more, "-q")
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), process.stderr.read()
        return process, url

    return serve


NO_LABELS = b'{"1": " x"}', b'{"1": "%s"}' % (b"x" * 101), b'{"1": "\\ud800"}', b'{"1": []}'


def get(url, data=None, **headers):
    request = urllib.request.Request(url, data, headers, method="PUT" if data is not None else "GET")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def refused(*args, **headers):
    with pytest.raises(urllib.error.HTTPError) as error:
        get(*args, **headers)
    return error.value.code


def ended(process):
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=60)[0], process.returncode


def test_serving(serve, folder, work):
    top = folder(0, 4, 20)
    (work / "known.csv").write_text("file,label\nsmear_00.jpg,LYMPHOCYTE\nsmear_20.jpg,LYMPHOCYTE\n")
    process, url = serve(top, "--labels", "known.csv", "--cell-width", 80)
    page = get(url).decode()
    assert "connect-src 'self'" in page
    assert 'src="1.jpg"' in page
    assert page.index('src="4.jpg"') < page.index('src="1.jpg"')  # its known label is contradicted
    picture = cv2.imdecode(np.frombuffer(get(f"{url}1.jpg"), np.uint8), cv2.IMREAD_COLOR)
    assert max(picture.shape) > 96
    assert not (work / "corrections.json").exists()
    get(f"{url}verdicts", b'{"1": "NEUTROPHIL", "2": null}')
    content = json.loads((work / "corrections.json").read_text())
    said = [(entry["file"], entry.get("new")) for entry in content["corrections"]]
    assert said == [("smear_00.jpg", "NEUTROPHIL"), ("smear_04.jpg", None)]
    assert content["corrections"][1]["reject"] is True
    for bad in (b"[]", b"{", b'{"99": "A"}', b'{"1": 3}', b'{"x": "A"}', b'{"1": ""}', *NO_LABELS):
        assert refused(f"{url}verdicts", bad) == 400
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=20) as client:
        head = f"PUT {address.path}verdicts HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 40\r\n\r\n"
        client.sendall(head.encode() + b"{}")  # and leaves
    assert json.loads(get(f"{url}verdicts")) == {"1": "NEUTROPHIL", "2": None}
    assert json.loads((work / "corrections.json").read_text()) == content
    printed, code = ended(process)
    said, command = printed.splitlines()
    assert (said, code) == ("2 cells looked at: corrections.json", 0)
    assert command.startswith("next: fastsvm-cells adapt ")
    assert command.endswith(f"{top} --cell-width 80 --corrections corrections.json -o adapted.safetensors")
    assert command.removeprefix("next: ") in html.unescape(page)


def test_strangers_get_nothing(serve, folder):
    _, url = serve(folder(0))
    top = url.rsplit("/", 2)[0]
    strangers = f"{top}/", f"{top}/verdicts", f"{top}/{'x' * 22}/", f"{url}9.jpg", f"{url}../x", url[:-1]
    assert [refused(stranger) for stranger in (*strangers, f"{url}{'9' * 5000}.jpg")] == [404] * 7
    for stranger in ({"Host": "evil.example"}, {"Host": "localhost:1"}, {"Origin": "http://evil.example"}):
        assert refused(url, **stranger) == 403
        assert refused(f"{url}verdicts", b'{"1": "A"}', **stranger) == 403
    assert refused(f"{top}/verdicts", b"{}") == 404
    assert refused(f"{url}1.jpg", b"{}") == 405
    get(f"{url}verdicts", b"{}", Origin=top)


def test_a_second_tab_or_process_loses_nothing(serve, run, folder, work, model):
    top = folder(0, 20)
    other = {"file": "smear_20.jpg", "box": [1, 2, 3, 4], "new": "of other classes"}
    (work / "c.json").write_text(json.dumps({"version": 1, "corrections": [other]}))
    process, url = serve(top, "-o", "c.json")
    get(f"{url}verdicts", b'{"1": "NEUTROPHIL"}', **{"If-Match": '"0"'})
    for old in {}, {"If-Match": '"0"'}, {"If-Match": '"9"'}:  # other tabs
        assert refused(f"{url}verdicts", b'{"2": "NEUTROPHIL"}', **old) == 409
    second = run("review", top, "-m", model, "-o", "c.json")
    why = "another process is working on it; wait for it, or choose another"
    assert (second.exit_code, second.stderr) == (1, f"error: c.json: {why}\n")
    get(f"{url}verdicts", b'{"1": "NEUTROPHIL", "2": null}', **{"If-Match": '"1"'})
    assert ended(process)[0].startswith("2 cells looked at: c.json\n")
    assert len(json.loads((work / "c.json").read_text())["corrections"]) == 3
    assert [path.name for path in work.iterdir() if path.name.startswith(".")] == []


@pytest.mark.slow
def test_work_is_taken_up_again(serve, folder, work):
    other = {"file": "elsewhere.jpg", "box": [1, 2, 3, 4], "old": "A", "new": "B"}
    (work / "c.json").write_text(json.dumps({"version": 1, "corrections": [other]}))
    top = folder(0, 20)
    process, url = serve(top, "-o", "c.json")
    get(f"{url}verdicts", b'{"2": "NEUTROPHIL"}')
    ended(process)
    process, url = serve(top, "-o", "c.json")
    assert json.loads(get(f"{url}verdicts")) == {"2": "NEUTROPHIL"}
    get(f"{url}verdicts", b"{}")
    ended(process)
    assert json.loads((work / "c.json").read_text())["corrections"] == [other]


def test_folders_name_labels_if_one_of_them_names_a_class(folder):
    top = folder(0, by_label=True)
    (top / "BASOPHIL").mkdir()
    shutil.copy(top / "LYMPHOCYTE" / "smear_00.jpg", top / "BASOPHIL")
    known = [("LYMPHOCYTE",), {"BASOPHIL", "LYMPHOCYTE"}], [("NEUTROPHIL",), {None}]
    for classes, labels in known:
        assert {file.label for file in find_known_images([str(top)], classes, None)} == labels


@needs_chromium
def test_a_class_that_the_model_lacks_from_a_key_to_a_model(serve, record, folder, work, model, tmp_path):
    top = folder(0, 1, 2, 20, 21, 22, by_label=True)
    process, url = serve(top, "--classes", "BLAST")
    with browser(tmp_path) as window:
        window.open(url)
        window.press("n", *"BASOPHIL", "Enter", "6", "6", "4", "2")
        all_kept = "(kept) => Object.keys(kept).length > 3"
        window.wait_for(f"fetch('verdicts').then((answer) => answer.json()).then({all_kept})")
        assert window.problems == []
    assert ended(process)[0].startswith("4 cells looked at")
    assert json.loads((work / "corrections.json").read_text())["classes"][-2:] == ["BLAST", "BASOPHIL"]
    adapted = record("adapt", model, top, "--corrections", "corrections.json", "-o", "adapted.safetensors")
    assert adapted["label_counts"]["BASOPHIL"] == 2
    found = record("classify", top, "-m", "adapted.safetensors")
    assert found["counts"]["BASOPHIL"] == 2
    assert "BASOPHIL" in get(serve(top)[1]).decode()


def test_what_cannot_be_served(run, folder, work, model):
    top = folder(0)
    (work / "text.json").write_text("{}")
    empty, again = folder(40, name="empty"), folder(0, name="again")
    for images, problem in (
        ([top, "-o", "text.json"], "text.json: no corrections of version 1"),
        ([empty], f"{empty}: no white cell"),
        ([top, again], "several images have the same name"),
    ):
        assert_refused(run("review", *images, "-m", model), 1, problem)
    assert (work / "text.json").read_text() == "{}"
