"""Images: how they are read, and what is refused; how they are found and labelled; work in threads."""

import base64
import csv
import io
import os
import random
import re
import struct
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from fastsvm_apps.cells.data import image_decoding, image_reader, image_threads
from fastsvm_apps.cells.data.bad_image import DAMAGED, GRAY, KINDS, BadImage
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.data.image_reader import ImageFile, ImageReader, read_image, read_scaled
from fastsvm_apps.cells.data.image_threads import map_images
from fastsvm_apps.cells.jobs.classify_cache import _images_digest
from fastsvm_apps.common.errors import AppError

HEIGHT, WIDTH = 60, 90
SMEAR = Path(__file__).parents[2] / "data/cells/images/LYMPHOCYTE/smear_00.jpg"


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


def test_pixels_are_those_that_opencv_decodes():
    np.testing.assert_array_equal(read_image(str(SMEAR)), cv2.imread(str(SMEAR)))


# At the working scale


@pytest.fixture
def scaled(tmp_path):
    """Read an image of a size at the working scale."""

    def scaled(width, height, ending="jpg", **options):
        path = tmp_path / f"image.{ending}"
        path.write_bytes(encoded(ending, smooth(height, width)))
        return read_scaled(str(path), **options)

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
        np.testing.assert_array_equal(read_scaled(str(path))[0], expected)
        assert ImageReader(str(path)).reduced(4).shape == (width // 2 // 4, width // 4, 3)


def test_a_turned_image_is_scaled_too(tmp_path):
    exif = Image.Exif()
    exif[0x112] = 6
    path = tmp_path / "image.jpg"
    path.write_bytes(saved("JPEG", smooth(480, 650), exif=exif))
    image, scale = read_scaled(str(path))
    assert (image.shape, scale) == ((320, 236, 3), 320 / 650)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"cell_width": 400}, "64 x 12 pixels at the working scale, too small"),
        ({"cell_width": 20, "max_pixels": 100_000}, "1,280 x 240 pixels at the working scale, more than "),
    ],
)
def test_a_scale_that_does_not_suit(scaled, options, reason):
    with pytest.raises(BadImage, match=reason):
        scaled(320, 60, **options)


# Refusing


@pytest.mark.parametrize(
    "step", [(image_decoding.Image, "open"), (image_decoding, "_decode_jpeg"), (image_reader, "_contents")]
)
def test_an_image_that_memory_does_not_suffice_for_is_skipped(refused, monkeypatch, step):
    def without_memory(*_, **__):
        raise MemoryError

    monkeypatch.setattr(*step, without_memory)
    assert refused(encoded("jpg")) == "too large for the memory there is"


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
            "damaged, or a TIFF image of an unusual kind; save it with 8 bits a channel, or as png",
        ),
        (
            encoded("jpg", LARGE).replace(b"\xff\xd9", b"\xff\xda\0\2" * 101 + b"\xff\xd9"),
            "more than 100 scans; save it again, not progressive",
        ),
        *(
            (saved(format, save_all=True, append_images=[Image.fromarray(IMAGE[::-1])]), reason)
            for format, reason in {
                "PNG": "animated, 2 frames; save one of them as an image of its own",
                "WEBP": "animated, 2 frames; save one of them as an image of its own",
                "TIFF": "2 pages; name one of them: the second is FILE#2",
            }.items()
        ),
    ],
)
def test_refused(refused, content, reason):
    assert refused(content) == reason


@pytest.mark.parametrize("level", [0, 255, 90])
def test_a_blank_frame_is_an_image_with_nothing_on_it(read, level):
    image = np.full((60, 90, 3), level, np.uint8)
    np.testing.assert_array_equal(read(encoded("png", image)), image)


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
    assert read(encoded(ending), max_pixels=5400).shape == IMAGE.shape
    monkeypatch.setattr(image_reader, "decode_image", None)
    assert refused(encoded(ending), max_pixels=5399) == "90 x 60 pixels, more than the limit of 5,399"


def test_a_large_file_is_not_read(tmp_path):
    path = tmp_path / "large.jpg"
    with open(path, "wb") as file:
        file.truncate((1 << 30) + 1)  # takes no space
    with pytest.raises(BadImage, match="1,073,741,825 bytes, more than the limit of 1,073,741,824"):
        read_image(str(path))


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
        read_image(str(tmp_path / "none.jpg"))
    pipe = tmp_path / "pipe.jpg"  # nobody writes into it
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
    for path in (tmp_path, pipe):
        with pytest.raises(BadImage, match="not a file"):
            read_image(str(path))


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@pytest.mark.parametrize("seed", ["jpg", "progressive", "png", "tif", "bmp", "webp", "jp2"])
def test_hostile_bytes_are_read_or_refused(read, seed):
    rng = random.Random(seed)
    whole = encoded("jpg", IMAGE, *PROGRESSIVE) if seed == "progressive" else encoded(seed)
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(rng.randint(1, 8)):
            # Most of what can go wrong is in the header, and at the end of a TIFF file.
            at = rng.choice([rng.randrange(len(content)), rng.randrange(80), -rng.randrange(1, 200)])
            content[at] = rng.choice([0, 1, 255, rng.randrange(256)])
        if rng.random() < 0.2:
            del content[rng.randrange(len(content)) :]
        with suppress(BadImage):
            image = read(bytes(content), max_pixels=1_000_000)
            assert (image.dtype, image.ndim, image.shape[2]) == (np.uint8, 3, 3)


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
    np.testing.assert_array_equal(read_image(file.path), pages[1])
    for number in (0, 4, 99_999):
        with pytest.raises(BadImage, match=f"no page {number:,}; it has 3"):
            read_image(f"{path}#{number}")


def test_a_file_may_be_called_like_a_page(tmp_path):
    path = tmp_path / "smear.png#2"
    path.write_bytes(encoded("png"))
    assert [file.name for file in find_images([str(path)])] == [str(path)]
    np.testing.assert_array_equal(read_image(str(path)), IMAGE)


# Finding


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


def test_links_are_followed_but_never_in_a_circle(folder, tmp_path):
    top = folder("a/1.jpg")
    other = tmp_path / "other"
    other.mkdir()
    (other / "2.jpg").touch()
    for name, target in {"z": other, "a/up": top, "self": "self", "b.jpg": "missing"}.items():
        os.symlink(target, os.path.join(top, name))
    assert names(find_images([top])) == ["b.jpg", "a/1.jpg", "z/2.jpg"]


def test_nothing_found(folder, tmp_path):
    top = folder("notes.txt")
    with pytest.raises(AppError, match=r"smears: no images \(jpg, png, tiff, bmp, webp, jp2\) in it; give"):
        find_images([top])
    with pytest.raises(AppError, match=r"smears: no annotations \(xml\) in it"):
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


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", ", line 1: no column 'file' among none; it needs file and label"),
        ("file;class\na/1.jpg;x\n", ", line 1: no column 'label' among file, class; it needs file and label"),
        ("file,label\na/1.jpg\n", ", line 2: 1 fields, where the header has 2"),
        ("file,label\n\na/1.jpg,x\na/1.jpg,y\n", ", line 4: 'a/1.jpg' is 'y' here, but 'x' before"),
        ("file,label\n1.jpg,x\n", ", line 2: 2 images are called '1.jpg'; name the folder too"),
        (
            "file,label\nc/1.jpg,x\n",
            ", line 2: 'c/1.jpg' is not among the images, nor is any other; their names are like 'a/1.jpg'",
        ),
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
    assert str(error.value).startswith(labels + problem)


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
    with pytest.raises(AppError, match="no image has the label 'RBC'; there are: Zelle ä"):
        find_images([top], **options, classes=["Zelle ä", "RBC"])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("file,label\n", ": not XML: syntax error: line 1, column 0"),
        ("", ": not XML: no element found"),
        ('<?xml version="1.0" encoding="none"?><a/>', ": not XML: "),
        ("<html><body/></html>", ": no <filename> in it; give Pascal VOC annotations"),
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


# Working on many

FILES = [ImageFile(str(n), str(n)) for n in range(60)]


@pytest.mark.parametrize("jobs", [1, 2, 7, None])
def test_results_come_in_order(jobs):
    def work(file):
        time.sleep(random.random() / 500)
        return int(file.name)

    assert list(map_images(work, iter(FILES), jobs=jobs)) == [(file, int(file.name)) for file in FILES]
    assert list(map_images(work, [], jobs=jobs)) == []


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (BadImage("cut short"), "cut short"),
        (OSError(2, "No such file"), "cannot be read: No such file"),
        (MemoryError(), "too large for the memory there is"),
        (None, "cannot be worked on: "),
    ],
)
def test_a_bad_image_is_a_result_and_the_rest_goes_on(wrong, reason, jobs):
    def work(file):
        if file is FILES[1]:
            if wrong:
                raise wrong
            cv2.cvtColor(np.zeros((2, 2), np.uint8), cv2.COLOR_BGR2GRAY)

    results = [result for _, result in map_images(work, FILES, jobs=jobs)]
    assert str(results[1]).startswith(reason)
    assert results[:1] + results[2:] == [None] * (len(FILES) - 1)
    # It holds nothing else: of 100,000 bad images, not the bytes too.
    assert results[1].__traceback__ is results[1].__context__ is results[1].__cause__ is None


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("end", [ZeroDivisionError, KeyboardInterrupt, GeneratorExit])
def test_an_error_an_interrupt_and_closing_end_the_work(end, jobs):
    begun = []

    def work(file):
        begun.append(file)
        if file is FILES[5] and end is ZeroDivisionError:
            raise end

    def files():
        yield from FILES[:6]
        if end is KeyboardInterrupt:
            raise end
        yield from FILES[6:]

    results = map_images(work, files(), jobs=jobs)
    if end is GeneratorExit:
        next(results)
        results.close()
    else:
        with pytest.raises(end):
            list(results)
    n_begun = len(begun)
    assert n_begun <= 6 + image_threads.IMAGES_AHEAD * jobs
    time.sleep(0.02)
    assert len(begun) == n_begun


def test_only_a_few_are_taken_ahead():
    n_taken, n_yielded, most = 0, 0, 0

    def taken():
        nonlocal n_taken
        for file in FILES * 5:
            n_taken += 1
            yield file

    for _ in map_images(lambda file: None, taken(), jobs=2):
        n_yielded += 1
        most = max(most, n_taken - n_yielded)
    assert n_yielded == 300
    assert most <= 2 * image_threads.IMAGES_AHEAD


def test_opencv_has_no_threads_of_its_own():
    cv2.setNumThreads(2)
    assert {result for _, result in map_images(lambda file: cv2.getNumThreads(), FILES, jobs=2)} == {1}
