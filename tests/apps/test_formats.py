"""WebP, JPEG 2000 and the pages of TIFF files: read with the checks of others, and found in folders."""

import io

import cv2
import numpy as np
import pytest

from fastsvm_apps.cells.data.files import find_images
from fastsvm_apps.cells.data.header import BadImage, read_header
from fastsvm_apps.cells.data.images import read_image
from fastsvm_apps.common.errors import AppError

HEIGHT, WIDTH = 60, 90
COARSE = np.random.default_rng(0).integers(0, 256, (4, 6, 3), np.uint8)
IMAGE = cv2.resize(COARSE, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
CUT = "cut short; copy or download it again"


def encoded(ending, image=IMAGE, *options):
    return cv2.imencode(f".{ending}", image, options)[1].tobytes()


def pillow(format, image=IMAGE, **options):
    library = pytest.importorskip("PIL.Image")
    stream = io.BytesIO()
    library.fromarray(np.ascontiguousarray(image[..., [2, 1, 0, 3][: image.shape[2]]])).save(
        stream, format, **options
    )
    return stream.getvalue()


def with_alpha():
    image = np.dstack([IMAGE, np.full((HEIGHT, WIDTH), 255, np.uint8)])
    image[:20, :, 3] = 102
    alpha = image[..., 3:] / 255
    return image, 255 * (1 - alpha) + image[..., :3] * alpha


@pytest.mark.parametrize("ending", ["webp", "jp2"])
def test_read_without_loss(read, ending):
    np.testing.assert_array_equal(read(encoded(ending)), IMAGE)


def test_lossy_webp(read):
    np.testing.assert_allclose(read(pillow("WEBP", quality=95)).astype(int), IMAGE, atol=25)


@pytest.mark.parametrize("options", [{"no_jp2": True}, {"irreversible": True}, {"mct": 0}])
def test_kinds_of_jpeg_2000(read, options):
    np.testing.assert_allclose(read(pillow("JPEG2000", **options)).astype(int), IMAGE, atol=3)


def test_16_bits_of_jpeg_2000_become_8(read):
    np.testing.assert_allclose(read(encoded("jp2", IMAGE.astype(np.uint16) * 257)).astype(int), IMAGE, atol=1)


@pytest.mark.parametrize("ending", ["webp", "jp2"])
def test_transparent_pixels_lie_on_white(read, ending):
    image, expected = with_alpha()
    np.testing.assert_allclose(read(encoded(ending, image)), expected, atol=2)


def test_the_orientation_of_webp_is_followed(read):
    exif = pytest.importorskip("PIL.Image").Exif()
    exif[0x112] = 6  # turn to the right
    seen = read(pillow("WEBP", lossless=True, exif=exif))
    np.testing.assert_array_equal(seen, cv2.rotate(IMAGE, cv2.ROTATE_90_CLOCKWISE))


@pytest.mark.parametrize("ending", ["webp", "jp2"])
def test_gray_is_refused(refused, ending):
    assert refused(encoded(ending, IMAGE[..., 0])) == "grayscale; stains are told by their colours"


def test_an_animation_is_refused(refused):
    first, second = IMAGE, IMAGE[::-1]
    library = pytest.importorskip("PIL.Image")
    content = pillow("WEBP", first, save_all=True, append_images=[library.fromarray(second)])
    assert refused(content) == "animated; save one of its frames as an image of its own"


@pytest.mark.parametrize("ending", ["webp", "jp2"])
@pytest.mark.parametrize("share", [0.999, 0.6, 0.1])
def test_cut_short(refused, capfd, ending, share):
    content = encoded(ending)
    assert refused(content[: int(len(content) * share)]) == CUT
    assert capfd.readouterr() == ("", "")


def test_a_codestream_without_its_end(refused):
    content = encoded("jp2")
    assert refused(content[:-200] + bytes(200)) == CUT


@pytest.mark.parametrize("ending", ["webp", "jp2"])
def test_the_size_is_in_the_header(refused, ending):
    header = read_header(encoded(ending))
    assert (header.width, header.height) == (WIDTH, HEIGHT)
    assert refused(encoded(ending), max_pixels=5399) == "90 x 60 pixels, more than the limit of 5,399"


def test_another_size_in_the_header_than_in_the_pixels(refused):
    content = bytearray(pillow("WEBP", with_alpha()[0], lossless=True, exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0"))
    assert content[12:16] == b"VP8X"
    content[24] -= 1
    assert refused(bytes(content)) == "damaged; copy or download it again"


# Pages


def pages(n=3):
    """Return images, and a TIFF file in which they are pages."""
    images = [np.roll(IMAGE, 7 * k, axis=1)[: HEIGHT - k] for k in range(n)]
    return images, cv2.imencodemulti(".tiff", images)[1].tobytes()


def test_each_page_is_an_image(tmp_path):
    images, content = pages()
    (tmp_path / "NEUTROPHIL").mkdir()
    (tmp_path / "NEUTROPHIL" / "scan.tif").write_bytes(content)
    found = find_images([str(tmp_path)])
    assert [file.name for file in found] == [f"NEUTROPHIL/scan.tif#{n}" for n in (1, 2, 3)]
    assert {file.label for file in found} == {"NEUTROPHIL"}
    assert {file.original for file in found} == {str(tmp_path / "NEUTROPHIL" / "scan.tif")}
    for file, image in zip(found, images, strict=True):
        np.testing.assert_array_equal(file.open().whole(), image)


def test_one_page_can_be_named(tmp_path):
    images, content = pages()
    path = tmp_path / "scan.tif"
    path.write_bytes(content)
    assert len(find_images([str(path)])) == 3
    (file,) = find_images([f"{path}#2"])
    np.testing.assert_array_equal(read_image(file.path), images[1])
    for number in (0, 4, 99_999):
        with pytest.raises(BadImage, match=f"no page {number:,}; it has 3"):
            read_image(f"{path}#{number}")


def test_a_file_may_be_called_like_a_page(tmp_path):
    path = tmp_path / "smear.png#2"
    path.write_bytes(encoded("png"))
    assert [file.name for file in find_images([str(path)])] == [str(path)]
    np.testing.assert_array_equal(read_image(str(path)), IMAGE)


def test_pages_that_are_damaged_are_one_image_until_it_is_read(tmp_path):
    _, content = pages()
    (tmp_path / "cut.tif").write_bytes(content[:-10])
    (file,) = find_images([str(tmp_path)])
    with pytest.raises(BadImage, match="cut short"):
        read_image(file.path)


# Folders


@pytest.fixture
def folder(tmp_path):
    for name in (
        "a.jpg",
        "b.WEBP",
        "c.jp2",
        "d.txt",
        "e.txt",
        "f.gif",
        "g",
        "a.xml",
        "b.csv",
        "c.json",
        "d.html",
    ):
        (tmp_path / name).write_bytes(b"")
    return tmp_path


def test_what_is_of_other_kinds_is_counted_in_a_note(folder, capsys):
    assert [file.name for file in find_images([str(folder)])] == ["a.jpg", "b.WEBP", "c.jp2"]
    assert capsys.readouterr().err == (
        f"note: {folder}: 4 files of other kinds left out (.txt 2, .gif 1, no ending 1)\n"
    )


def test_how_slides_can_be_read_is_said(folder, capsys, monkeypatch):
    monkeypatch.setattr("fastsvm_apps.cells.data.slides.find_spec", lambda name: None)
    (folder / "h.svs").write_bytes(b"")
    find_images([str(folder)])
    assert capsys.readouterr().err.endswith('.svs 1); for slides: pip install "fastsvm[slides]"\n')


def test_a_folder_of_other_kinds_has_no_image(tmp_path):
    (tmp_path / "a.gif").write_bytes(b"")
    with pytest.raises(AppError, match="no images"):
        find_images([str(tmp_path)])
