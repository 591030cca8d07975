"""Images read from their bytes."""

import pytest

from fastsvm_apps.cells.data.bad_image import BadImage
from fastsvm_apps.cells.data.image_reader import read_image


@pytest.fixture
def read(tmp_path):
    """Read an image from its bytes."""

    def read(content, name="image.jpg", **options):
        path = tmp_path / name
        path.write_bytes(content)
        return read_image(str(path), **options)

    return read


@pytest.fixture
def refused(read):
    """Return why an image is refused."""

    def refused(content, **options):
        with pytest.raises(BadImage) as error:
            read(content, **options)
        return str(error.value)

    return refused
