"""Where the tests write their model files."""

import pytest


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"
