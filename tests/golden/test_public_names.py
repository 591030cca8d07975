"""Names, parameters, defaults and options are public: one that changes must change in the list, too."""

from importlib.util import find_spec

from golden.public_names import LIST, OPTIONAL, names


def test_public_names_are_those_of_the_list():
    listed = LIST.read_text(encoding="utf-8").splitlines()
    if not find_spec("skl2onnx"):
        listed = [line for line in listed if not line.startswith(OPTIONAL)]
    assert names() == listed, "python tests/golden names writes the list; say in CHANGELOG.md what changed"
