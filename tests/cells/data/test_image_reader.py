"""Images: how they are read, at which scale, and what is refused."""

import base64
import io
import os
import re
import struct
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from fastsvm_apps.cells.data import image_decoding, image_reader
from fastsvm_apps.cells.data.bad_image import DAMAGED, GRAY, KINDS, BadImage
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.data.image_reader import ImageReader, reduced
from fastsvm_apps.cells.jobs.classify_cache import _images_digest

HEIGHT, WIDTH = 60, 90
SMEAR = Path(__file__).parents[3] / "data/cells/images/LYMPHOCYTE/smear_00.jpg"


def smooth(height, width, seed=0):
    """Return an image of soft colours, which survives JPEG."""
    coarse = np.random.default_rng(seed).integers(0, 256, (4, 6, 3), np.uint8)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)


IMAGE = smooth(HEIGHT, WIDTH)
LARGE = smooth(240, 320)
PROGRESSIVE = (cv2.IMWRITE_JPEG_PROGRESSIVE, 1)


def encoded(ending, image=IMAGE, *options):
    return cv2.imencode(f".{ending}", image, options)[1].tobytes()


def saved(format, image=IMAGE, **options):
    """Encode an image in BGR or BGRA, or one of Pillow's, with Pillow."""
    if not isinstance(image, Image.Image):
        image = Image.fromarray(np.ascontiguousarray(image[..., [2, 1, 0, 3][: image.shape[2]]]))
    stream = io.BytesIO()
    image.save(stream, format, **options)
    return stream.getvalue()


@pytest.fixture
def read(tmp_path):
    """Read an image from its bytes."""

    def read(content, name="image.jpg"):
        path = tmp_path / name
        path.write_bytes(content)
        return ImageReader(str(path)).whole()

    return read


@pytest.fixture
def refused(read):
    """Return why an image is refused."""

    def refused(content):
        with pytest.raises(BadImage) as error:
            read(content)
        return str(error.value)

    return refused


# Reading


@pytest.mark.parametrize("name", ["image.png", "ein Bild – été 細胞.dat", os.fsdecode(b"caf\xe9.jpg")])
@pytest.mark.parametrize("ending", ["jpg", "png", "tif", "bmp", "webp", "jp2"])
def test_formats(read, ending, name):
    image = read(encoded(ending), name)
    assert image.dtype == np.uint8
    assert image.flags.c_contiguous
    np.testing.assert_allclose(image.astype(int), IMAGE, atol=20 if ending == "jpg" else 0)


@pytest.mark.parametrize("ending", ["png", "tif", "jp2"])
def test_16_bits_become_8(read, ending):
    image = read(encoded(ending, IMAGE.astype(np.uint16) * 257))
    np.testing.assert_allclose(image.astype(int), IMAGE, atol=1)


def test_a_palette_becomes_colours(read):
    image = Image.fromarray(IMAGE[..., ::-1]).quantize(10)
    np.testing.assert_array_equal(read(saved("PNG", image)), np.array(image.convert("RGB"))[..., ::-1])


@pytest.mark.parametrize("ending", ["png", "16 bits", "tif", "webp", "jp2"])
def test_transparent_pixels_lie_on_white(read, ending):
    image = np.dstack([IMAGE, np.zeros((HEIGHT, WIDTH), np.uint8)])
    image[:20, :, 3], image[20:40, :, 3] = 255, 153
    alpha = image[..., 3:] / 255
    content = {
        "png": lambda: encoded("png", image),
        "16 bits": lambda: encoded("png", image.astype(np.uint16) * 257),
        "tif": lambda: saved("TIFF", image),
        "webp": lambda: saved("WEBP", image, lossless=True, exact=True),
        "jp2": lambda: saved("JPEG2000", image),
    }[ending]()
    np.testing.assert_allclose(read(content), 255 * (1 - alpha) + image[..., :3] * alpha, atol=2)


@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize("format", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_the_orientation_is_followed(read, format, turn):
    exif = Image.Exif()
    exif[0x112] = turn
    options = {"JPEG": {"quality": 95}, "WEBP": {"lossless": True}}.get(format, {})
    image = read(saved(format, exif=exif, **options))
    turned = [IMAGE, IMAGE[:, ::-1], IMAGE[::-1, ::-1], IMAGE[::-1]]
    expected = (turned + [part.transpose(1, 0, 2) for part in (turned[0], turned[3], turned[2], turned[1])])[
        turn - 1
    ]
    assert image.shape == expected.shape
    np.testing.assert_allclose(image.astype(int), expected, atol=20)


@pytest.mark.parametrize("adobe", [True, False])
def test_cmyk_has_the_right_colours(read, adobe):
    for bgr in ((0, 0, 255), (0, 255, 0), (255, 255, 255), (160, 40, 90)):
        flat = Image.new("RGB", (64, 64), bgr[::-1])
        flat.paste((200, 100, 50), (0, 0, 32, 64))
        content = saved("JPEG", flat.convert("CMYK"), quality=95)
        if not adobe:
            at = content.index(b"Adobe") - 4
            content = content[:at] + content[at + 16 :]
        image = read(content)
        np.testing.assert_allclose(image[5, 60].astype(int), bgr, atol=6)
        np.testing.assert_allclose(image[5, 5].astype(int), (50, 100, 200), atol=6)


# At the working scale


@pytest.fixture
def scaled(tmp_path):
    """Read an image of a size at the working scale."""

    def scaled(width, height, ending="jpg", **options):
        path = tmp_path / f"image.{ending}"
        path.write_bytes(encoded(ending, smooth(height, width)))
        return ImageReader(str(path)).scaled(**options)

    return scaled


@pytest.mark.parametrize("ending", ["jpg", pytest.param("png", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("size", "options", "expected", "scale"),
    [
        ((320, 240), {}, (320, 240), 1),
        ((640, 480), {}, (320, 240), 0.5),
        ((480, 641), {}, (239, 320), 320 / 641),
        ((1000, 667), {}, (320, 213), 0.32),
        ((2600, 1900), {}, (320, 233), 320 / 2600),
        ((100, 90), {}, (100, 90), 1),
        ((320, 240), {"cell_width": 80}, (320, 240), 1),
        ((320, 240), {"cell_width": 100}, (256, 192), 0.8),
        ((320, 240), {"cell_width": 20}, (1280, 960), 4),
        ((1000, 667), {"cell_width": 100}, (800, 533), 0.8),
        ((640, 480), {"fraction": 0.5}, (160, 120), 0.25),
        ((641, 479), {"cell_width": 160, "fraction": 0.5}, (160, 119), 0.25),
    ],
)
def test_the_working_scale(scaled, ending, size, options, expected, scale):
    image, factor = scaled(*size, ending, **options)
    assert factor == pytest.approx(scale)
    assert image.shape == (*expected[::-1], 3)
    assert all(round(side / factor) <= whole for side, whole in zip(image.shape[1::-1], size, strict=True))
    whole = cv2.resize(smooth(*size[::-1]), expected, interpolation=cv2.INTER_AREA)
    assert np.abs(image.astype(int) - whole).mean() < 4


@pytest.mark.parametrize("width", [320, 1000, 1280, pytest.param(2600, marks=pytest.mark.slow)])
def test_the_format_does_not_matter(tmp_path, width):
    """A JPEG decoder's own scaling would be faster; but other pixels are other labels."""
    jpeg = encoded("jpg", np.random.default_rng(0).integers(0, 256, (width // 2, width, 3), np.uint8))
    pixels = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    expected = cv2.resize(pixels, (320, 160), interpolation=cv2.INTER_AREA)
    for name, content in {"a.jpg": jpeg, "a.png": encoded("png", pixels)}.items():
        path = tmp_path / name
        path.write_bytes(content)
        np.testing.assert_array_equal(ImageReader(str(path)).scaled()[0], expected)
        assert reduced(ImageReader(str(path)), 4).shape == (width // 2 // 4, width // 4, 3)


@pytest.mark.parametrize(
    ("cell_width", "reason"),
    [
        (400, "64 x 12 pixels if a white cell is 80 wide: too small"),
        (20, "1,280 x 240 pixels if a white cell is 80 wide: more than "),
    ],
)
def test_a_scale_that_does_not_suit(scaled, monkeypatch, cell_width, reason):
    monkeypatch.setattr(image_reader, "MAX_PIXELS", 100_000)
    with pytest.raises(BadImage, match=reason):
        scaled(320, 60, cell_width=cell_width)


# Refusing


@pytest.mark.parametrize(
    "step", [(image_decoding.Image, "open"), (image_decoding, "_decode_jpeg"), (image_reader, "_image_bytes")]
)
def test_an_image_that_memory_does_not_suffice_for_is_skipped(refused, monkeypatch, step):
    def without_memory(*_, **__):
        raise MemoryError

    monkeypatch.setattr(*step, without_memory)
    assert refused(encoded("jpg")) == "too large for the available memory"


ANIMATED, UPSIDE_DOWN = "animated, with 2 frames; save one frame as an image", Image.fromarray(IMAGE[::-1])
# Found by the fuzzer: OpenCV says nothing, and returns nothing.
ODD_JP2 = base64.b64decode(
    "AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAKAAAACQAAwcHAAAAAAAPY29scgEAAAAAABAA"
    "AAPvanAyY/9paGRyAAAAKAAAACQAAwcHAAAAAAAPY29scgEAAAAAABAAAAPvanAyY/9P/1EALwAAAAAAJADmCAge4wfD5ggJf2l3x9IU"
    "BMqwu3/A+MeUow8ju8Tf/9k="
)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "an empty file"),
        (b"patient,result\n1,normal\n" * 40, "not an image"),
        (b"BMW and other words, long enough to hold a header", "not an image"),
        (b"\0" * 5000, "not an image"),
        (encoded("png", IMAGE[:1, :1]), "1 x 1 pixels, too small"),
        (encoded("jpg", IMAGE[:31]), "90 x 31 pixels, too small"),
        (ODD_JP2, "damaged; copy or download it again"),
        *((encoded(ending, IMAGE[..., 0]), GRAY) for ending in ("png", "jpg", "tif", "bmp", "webp", "jp2")),
        *((encoded(ending, np.dstack([IMAGE[..., 0]] * 3)), GRAY) for ending in ("png", "jpg")),
        (
            encoded("tif", IMAGE.astype(np.float32)),
            "damaged, or a TIFF image of an unusual kind; save it with",
        ),
        (
            encoded("jpg").replace(b"\xff\xd9", b"\xff\xda\0\2" * 101 + b"\xff\xd9"),
            "more than 100 scans; save",
        ),
        *((saved(f, save_all=True, append_images=[UPSIDE_DOWN]), ANIMATED) for f in ("PNG", "WEBP")),
        (
            saved("TIFF", save_all=True, append_images=[UPSIDE_DOWN]),
            "several pages (2); name one: the second is F",
        ),
    ],
)
def test_refused(refused, content, reason):
    assert refused(content).startswith(reason)


@pytest.mark.parametrize(("offset", "magic", "endings", "name", "advice"), KINDS)
def test_other_formats_are_named(refused, tmp_path, offset, magic, endings, name, advice):
    assert refused((b"\0" * offset + magic).ljust(200, b"\0")) == f"{name}; {advice}"
    for ending in endings:  # in a folder, too, whatever the content
        (tmp_path / f"b{ending}").write_bytes(b"something else")
    _, *others = find_images([str(tmp_path)])
    assert len(others) == len(endings)
    for file in others:
        with pytest.raises(BadImage, match=re.escape(f"{name}; {advice}")):
            file.open()


@pytest.mark.parametrize("ending", ["png", "tif"])
@pytest.mark.parametrize("bits", [8, 9, 10, 12, 14, 15, 16])
def test_a_folder_of_16_bit_images_is_as_bright_as_its_camera_made_it(tmp_path, capsys, bits, ending):
    deep = IMAGE.astype(np.uint32) * (2**bits - 1) // 255
    for name, darker in {"a": 3, "b": 1, "c": 7}.items():
        (tmp_path / f"{name}.{ending}").write_bytes(encoded(ending, (deep // darker).astype(np.uint16)))
    (tmp_path / "d.png").write_bytes(encoded("png"))  # of 8 bits, and so as it is
    files = find_images([str(tmp_path)])
    assert f"use {bits} bits" in capsys.readouterr().err or bits == 16
    for file, darker in zip(files, (3, 1, 7, 1), strict=True):
        assert np.abs(file.open().whole() * float(darker) - IMAGE).max() <= darker
    assert find_images([files[1].path])[0].bits == bits
    capsys.readouterr()
    cv2.imwrite(f"{tmp_path}/a.{ending}", deep[..., 0].astype(np.uint16))  # grey: of it nothing can be said
    assert (find_images([files[0].path])[0].bits, *capsys.readouterr()) == (16, "", "")
    # A brighter image in the folder makes other results of all: those kept of a run are not used.
    assert bits == 16 or _images_digest(files) != _images_digest([replace(f, bits=16) for f in files])


@pytest.mark.parametrize(("n", "sizes"), [(3, "311"), (3, "113"), (4, "411")])
@pytest.mark.parametrize("image", [IMAGE, IMAGE.astype(np.uint16) * 16])
def test_channels_of_an_ome_image_are_joined(read, refused, tmp_path, n, sizes, image):
    first, *others = (Image.fromarray(np.ascontiguousarray(image[..., 2 - k % 3])) for k in range(n))
    about = "<OME><Pixels {}/></OME>".format(" ".join(map('Size{}="{}"'.format, "CTZ", sizes)))
    path = tmp_path / "a.ome.tif"
    first.save(path, "TIFF", save_all=True, append_images=others, tiffinfo={270: about})
    if sizes != "311":
        assert refused(path.read_bytes()).startswith(f"an OME image of {n} grey pages; only red,")
    else:
        np.testing.assert_array_equal(find_images([str(path)])[0].open().whole(), IMAGE)


@pytest.mark.parametrize("ending", ["jpg", "png", "tif", "bmp", "webp", "jp2"])
def test_a_large_image_is_refused_before_it_is_decoded(refused, read, ending, monkeypatch):
    monkeypatch.setattr(image_reader, "MAX_PIXELS", 5400)
    assert read(encoded(ending)).shape == IMAGE.shape
    monkeypatch.setattr(image_reader, "decode_image", None)
    monkeypatch.setattr(image_reader, "MAX_PIXELS", 5399)
    assert refused(encoded(ending)) == "90 x 60 pixels, more than the limit of 5,399"


def test_a_large_file_is_not_read(tmp_path):
    path = tmp_path / "large.jpg"
    with open(path, "wb") as file:
        file.truncate((1 << 30) + 1)  # takes no space
    with pytest.raises(BadImage, match="1,073,741,825 bytes, more than the limit of 1,073,741,824"):
        ImageReader(str(path)).whole()


# The end of a thumbnail is not the end of the image.
THUMBNAIL = b"\xff\xe1" + struct.pack(">H", len(encoded("jpg")) + 2) + encoded("jpg")
AFTER_THUMBNAIL = b"\xff\xd8" + THUMBNAIL + encoded("jpg", LARGE)[2:]


@pytest.mark.parametrize(
    ("content", "tail"),
    [
        (encoded("jpg", LARGE), b""),
        (encoded("jpg", LARGE), bytes(3000)),  # the copy has the right length, but zeros at its end
        (encoded("jpg", LARGE, *PROGRESSIVE), b""),
        *((encoded(ending, LARGE), b"") for ending in ("png", "tif", "bmp", "webp", "jp2")),
        (saved("TIFF", LARGE), b""),  # without compression
        (encoded("jp2"), bytes(200)),
        (AFTER_THUMBNAIL, b""),
    ],
)
@pytest.mark.parametrize("share", [0.999, 0.6, 0.1, 0.005])
def test_cut_short(refused, capfd, content, tail, share):
    size = max(int(len(content) * share), 24)
    assert refused(content[:size] + tail).startswith(("cut short; copy or download it again", "damaged"))
    assert capfd.readouterr() == ("", "")


def test_what_follows_the_end_does_not_matter(read):
    for ending in ("jpg", "png", "bmp"):
        for more in (b"\0more" * 99, b"\xff\xda\0\x08" * 1000):  # the second looks like scans, as of a film
            assert read(encoded(ending) + more).shape == IMAGE.shape


def test_damaged(refused, capfd):
    damaged = bytearray(encoded("png", LARGE))
    damaged[3000] ^= 1
    assert refused(bytes(damaged)) == DAMAGED
    assert refused(b"\xff\xd8\xff\xd9" * 50) == DAMAGED
    assert refused(b"II*\0" + bytes(90)) == DAMAGED
    assert capfd.readouterr() == ("", "")


def test_damage_that_a_decoder_repairs_is_damage(refused, read, capfd):
    """libjpeg makes up a part of the first image, and only warns."""
    smear = SMEAR.read_bytes()
    middle = len(smear) // 2
    assert refused(smear[:middle] + b"\x55" * 400 + smear[middle + 400 :]) == DAMAGED
    assert refused(smear[:middle] + b"\xff\xd9") == DAMAGED
    np.testing.assert_array_equal(read(smear[:-2] + bytes(9) + smear[-2:]), cv2.imread(str(SMEAR)))
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(BadImage, match="cannot be read: No such file or directory"):
        ImageReader(str(tmp_path / "none.jpg")).whole()
    pipe = tmp_path / "pipe.jpg"  # nobody writes into it
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
    for path in (tmp_path, pipe):
        with pytest.raises(BadImage, match="not a file"):
            ImageReader(str(path)).whole()


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
def test_hostile_headers_come_to_an_end():
    loop = struct.pack("<HHHII", 1, 256, 4, 1, 64)
    tags = struct.pack("<H", 65535) + struct.pack("<HHII", 256, 4, 1, 64) * 65535
    for content in (
        b"\xff\xd8" + b"\xff" * 300_000,
        b"\xff\xd8" + b"\xff\xe0\0\2" * 100_000,
        b"II*\0\x08\0\0\0" + loop + struct.pack("<I", 8),  # a page that follows itself
        b"II*\0\x08\0\0\0" + tags + struct.pack("<I", 9) + bytes(64),
    ):
        with suppress(BadImage):
            image_decoding.open_image(content)


# Pages


def test_each_page_is_an_image(tmp_path):
    pages = [np.roll(IMAGE, 7 * k, axis=1)[: HEIGHT - k] for k in range(3)]
    top = tmp_path / "NEUTROPHIL"
    top.mkdir()
    path = top / "scan.tif"
    path.write_bytes(cv2.imencodemulti(".tiff", pages)[1].tobytes())
    found = find_images([str(tmp_path)])
    assert [file.name for file in found] == [f"NEUTROPHIL/scan.tif#{n}" for n in (1, 2, 3)]
    assert {(file.label, file.original) for file in found} == {("NEUTROPHIL", str(path))}
    for file, image in zip(found, pages, strict=True):
        np.testing.assert_array_equal(file.open().whole(), image)
    (file,) = find_images([f"{path}#2"])
    np.testing.assert_array_equal(ImageReader(file.path).whole(), pages[1])
    for number in (0, 4, 99_999):
        with pytest.raises(BadImage, match=f"no page {number:,}; the file has 3"):
            ImageReader(f"{path}#{number}").whole()


def test_a_file_may_be_called_like_a_page(tmp_path):
    path = tmp_path / "smear.png#2"
    path.write_bytes(encoded("png"))
    assert [file.name for file in find_images([str(path)])] == [str(path)]
    np.testing.assert_array_equal(ImageReader(str(path)).whole(), IMAGE)
