"""predict and evaluate say so when texts are unlike those that training held out."""

import asyncio
import json
import random
from types import SimpleNamespace

import pytest

from fastsvm_apps.sentiment.measures import prediction

UNLIKE = "warning: the texts differ from those held out in training: "


@pytest.fixture
def usual(run, texts, write, tmp_path):
    """Return the path of a model with its usual record, and texts like those that were held out."""
    run("train", write(texts(1000)), "-o", path := tmp_path / "model.safetensors")
    return path, texts(1000, seed=5)


def lines(pairs):
    return "".join(f"{text}\n" for _, text in pairs)


def with_other_words(pairs):
    """Put strange words in the place of the words of every second text."""
    rng = random.Random(3)
    return [
        (label, text if i % 2 else " ".join(f"other{rng.randrange(99)}" for _ in text.split()))
        for i, (label, text) in enumerate(pairs)
    ]


def test_predict_warns_and_writes_the_same(run, usual):
    path, pairs = usual
    alike = run("predict", path, input=lines(pairs))
    assert alike.stderr == ""
    strange = run("predict", path, input=lines(with_other_words(pairs)))
    assert strange.stderr.splitlines()[0].startswith(f"{UNLIKE}known terms per word 0.")
    assert strange.stdout.splitlines()[1::2] == alike.stdout.splitlines()[1::2]
    rare = [pair for i, pair in enumerate(pairs) if pair[0] == "pos" or i % 10 == 0]
    warning = run("predict", path, "--json", input=lines(rare)).stderr
    assert warning.startswith(f"{UNLIKE}label ")
    assert "label neg" in warning


def test_evaluate_warns_and_has_a_field(run, usual, write):
    path, pairs = usual
    record = json.loads(run("evaluate", path, write(pairs), "--json").stdout)
    assert record["moved"] == []
    result = run("evaluate", path, write(with_other_words(pairs)), "--json")
    names = [each["what"] for each in json.loads(result.stdout)["moved"]]
    assert names[0] == "known terms per word"
    assert UNLIKE in result.stderr


@pytest.mark.parametrize(
    ("options", "names"), [(["--holdout", "0"], None), (["--stream"], ["labels", "confidence"])]
)
def test_the_record_is_of_texts_that_were_not_seen(run, texts, write, tmp_path, options, names):
    result = run("train", write(texts(1000)), "-o", path := tmp_path / "model.safetensors", *options)
    assert result.exit_code == 0, result.stderr
    record = prediction.about_model(str(path)).get("held_out")
    assert record is None if names is None else [*record] == names


def test_a_server_tells_what_the_last_texts_were_like(usual):
    pytest.importorskip("starlette")
    from fastsvm_apps.sentiment.output.text_server import TEXTS_WATCHED, Service

    path, pairs = usual
    service = Service(prediction.load_scorer(str(path)), "a model", prediction.about_model(str(path)))
    service._server = SimpleNamespace(is_stopping=False, server_state=SimpleNamespace(connections=[]))

    def moved():
        answer = asyncio.run(service._answer_health(None))
        return [each["what"] for each in json.loads(answer.body)["moved"]]

    usual, strange = ([text for _, text in lot] for lot in (pairs, with_other_words(pairs)))
    service._predict_jobs([(usual, False, None)])
    assert moved() == []
    service._predict_jobs([(strange[::2], False, None)] * 4)
    assert "known terms per word" in moved()
    service._predict_jobs([(usual, False, None)] * (4 * TEXTS_WATCHED // len(usual)))
    assert moved() == []
