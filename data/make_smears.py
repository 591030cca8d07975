"""Make cells/: invented microscope pictures of blood smears, drawn from a seed, and the boxes of their cells.

Each picture shows red cells, a few platelets and one or two white cells: lymphocytes, whose nucleus is one
round thing, or neutrophils, whose nucleus has two to four lobes. Size, hue and strength of the stain tell
little. About half of the pictures are turned, so that black wedges stand at their borders.

    python data/make_smears.py            write cells/ beside this script
    python data/make_smears.py --check    only compare it with what would be written
"""

import argparse
import csv
import itertools
import sys
from pathlib import Path

import cv2
import numpy as np

TARGET = Path(__file__).with_name("cells")
WIDTH, HEIGHT = 320, 240
LABELS = ("LYMPHOCYTE", "NEUTROPHIL")
PER_LABEL = 20
N_EMPTY = 2
# The pictures with two white cells, and the distance of the two in sums of their radii: below 1 they touch.
PAIRS = {4: 1.3, 9: 0.94, 15: 0.9, 23: 0.92, 28: 1.35, 36: 1.25}
QUALITY = 88
HEADER = ("file", "x", "y", "w", "h", "kind", "label")

# All lengths are in pixels of the finished picture; it is drawn finer, and with a margin for cells that its
# border cuts.
FINER = 2
MARGIN = 70
RADII = {"LYMPHOCYTE": (38, 46), "NEUTROPHIL": (41, 55)}
NO_COVER = np.zeros((1, 1))

# What each thing takes away of the light, as a logarithm, in cv2's order: blue, green, red.
RED_CELL = np.array([0.28, 0.34, 0.13])
RED_CELL_MAUVE = np.array([0.17, 0.32, 0.14])
STAIN_BLUE = np.array([0.08, 0.78, 0.70])
STAIN_VIOLET = np.array([-0.04, 0.72, 0.37])
CYTOPLASM_BLUE = np.array([0.03, 0.26, 0.28])
CYTOPLASM_PINK = np.array([0.04, 0.22, 0.10])
# How pink the cytoplasm is, from 0 to 1.
PINK = {"LYMPHOCYTE": (0, 0.6), "NEUTROPHIL": (0.4, 1)}


def cloud(rng, shape, grain):
    """Draw smooth noise around 0, its spots about `grain` points wide."""
    coarse = rng.normal(size=[n // grain + 2 for n in shape])
    return cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC)


def grid(reach):
    """Give the x and y of every point of a square tile around 0."""
    steps = (np.arange(2 * int(reach * FINER)) + 0.5) / FINER - int(reach * FINER) / FINER
    return np.meshgrid(steps, steps)


def blob(rng, x, y, radius, roughness=0.03, stretch=1.15):
    """Tell how far out each point lies in an irregular disc: 0 is its centre, 1 its outline."""
    tilt, stretch = rng.uniform(0, np.pi), np.sqrt(rng.uniform(1, stretch))
    along = (x * np.cos(tilt) + y * np.sin(tilt)) / stretch
    across = (y * np.cos(tilt) - x * np.sin(tilt)) * stretch
    angles = np.linspace(-np.pi, np.pi, 181)
    waves = sum(rng.normal() * np.sin(k * angles + rng.uniform(0, 2 * np.pi)) / k for k in range(2, 9))
    outline = radius * (1 + roughness * waves)
    return np.hypot(along, across) / np.interp(np.arctan2(across, along), angles, outline)


def inside(out, radius, softness=1.5):
    """Turn distances from `blob` into cover: 1 inside, 0 outside, a soft edge between."""
    return np.clip((1 - out) * radius / softness + 0.5, 0, 1)


def red_cell(rng, radius, tone):
    """Draw a red cell: what it takes away of the light at each point of a tile."""
    out = blob(rng, *grid(1.5 * radius), radius, roughness=rng.choice([0.04, 0.06, 0.1]), stretch=1.4)
    pallor = rng.choice([0.1, 0.35, 0.6, 0.8])
    hollow = pallor * np.exp(-((out / rng.uniform(0.2, 0.6)) ** 4))
    rim = 0.2 * np.exp(-(((out - 0.87) / 0.1) ** 2))
    thickness = inside(out, radius, 2.5) * (0.85 - hollow + rim) * rng.uniform(0.8, 1.15)
    halo = 0.05 * np.exp(-(((out - 1.08) / 0.05) ** 2))
    if rng.uniform() < 0.15:  # a glint
        halo += 0.25 * np.exp(-((blob(rng, *grid(1.5 * radius), 2.5)) ** 2))
    return thickness[..., None] * tone - halo[..., None]


def platelet(rng, stain):
    """Draw a platelet: a small frayed speck."""
    radius = rng.uniform(3, 4.8)
    speck = inside(blob(rng, *grid(3 * radius), radius, roughness=0.2, stretch=1.8), radius, 3)
    return (speck * rng.uniform(0.4, 0.8))[..., None] * stain


def round_nucleus(rng, x, y, radius):
    """Draw a lymphocyte's nucleus: one disc that almost fills the cell of the given radius."""
    size = rng.uniform(0.75, 0.88) * radius
    shift = rng.uniform(-0.5, 0.5, size=2) * (0.92 * radius - size)
    return inside(blob(rng, x - shift[0], y - shift[1], size, roughness=0.05, stretch=1.25), size, 3)


def lobed_nucleus(rng, x, y, radius):
    """Draw a neutrophil's nucleus: lobes on an arc, each joined to the next by a thin bridge."""
    n_lobes = rng.choice([2, 3, 3, 3, 4])
    share = rng.uniform(0.46, 0.56) if n_lobes > 2 else rng.uniform(0.42, 0.48)
    size = radius * np.sqrt(share / n_lobes)
    arc = 0.92 * radius - size
    step = 2 * np.arcsin(min(1, rng.uniform(1.02, 1.12) * size / arc))
    angles = rng.uniform(0, 2 * np.pi) + step * (np.arange(n_lobes) + rng.uniform(-0.1, 0.1, size=n_lobes))
    arcs = arc * rng.uniform(0.85, 1.05, size=n_lobes)
    centres = np.transpose([arcs * np.cos(angles), arcs * np.sin(angles)])
    sizes = size * rng.uniform(0.85, 1.12, size=n_lobes)
    lobes = [
        inside(blob(rng, x - a, y - b, size, roughness=0.1, stretch=1.6), size)
        for (a, b), size in zip(centres, sizes, strict=True)
    ]
    cover = np.max(lobes, axis=0)
    for start, end in itertools.pairwise(centres):
        cover = np.maximum(cover, bridge(x, y, start, end, rng.uniform(0.06, 0.12) * radius))
    # Blurred and sharpened again, lobes and bridges flow into each other.
    return np.clip(3 * cv2.GaussianBlur(cover, (0, 0), 1.2 * FINER) - 1, 0, 1)


def bridge(x, y, start, end, width):
    """Draw a straight band between two points, `width` to each side."""
    (left, top), (run, fall) = start, np.subtract(end, start)
    part = np.clip(((x - left) * run + (y - top) * fall) / (run**2 + fall**2), 0, 1)
    return inside(np.hypot(x - left - part * run, y - top - part * fall) / width, width)


def white_cell(rng, radius, label, stain):
    """Draw a white cell: what it takes away of the light, and which part of its tile it covers."""
    x, y = grid(1.4 * radius)
    cover = inside(blob(rng, x, y, radius, roughness=0.025, stretch=1.2), radius, 3)
    draw = round_nucleus if label == "LYMPHOCYTE" else lobed_nucleus
    nucleus = draw(rng, x, y, radius) * cover
    chromatin = 1 + 0.09 * cloud(rng, x.shape, 12) + 0.05 * cloud(rng, x.shape, 4)
    granules = 1 + (0.12 if label == "LYMPHOCYTE" else 0.3) * cloud(rng, x.shape, 3)
    strength = rng.uniform(0.75, 1.2) * granules * cover * (1 - nucleus)
    cytoplasm = CYTOPLASM_BLUE + rng.uniform(*PINK[label]) * (CYTOPLASM_PINK - CYTOPLASM_BLUE)
    return strength[..., None] * cytoplasm + (nucleus * chromatin)[..., None] * stain, cover


class Smear:
    """One picture: what is on the glass, and how it is photographed."""

    def __init__(self, number, label=None):
        self.rng = np.random.RandomState(number)  # its numbers are the same in every version of numpy
        self.label = label
        shape = (FINER * (HEIGHT + 2 * MARGIN), FINER * (WIDTH + 2 * MARGIN))
        self.absorbed = np.zeros((*shape, 3))
        self.covers = []  # of each white cell
        self.angle = self.rng.choice([-1, 1]) * self.rng.uniform(4, 25) if self.rng.uniform() < 0.5 else 0
        self.turn = cv2.getRotationMatrix2D(((WIDTH - 1) / 2, (HEIGHT - 1) / 2), self.angle, 1)
        whites = self.place_white_cells(PAIRS.get(number)) if label else []
        stain = STAIN_BLUE + self.rng.uniform() * (STAIN_VIOLET - STAIN_BLUE)
        stain *= self.rng.uniform(0.8, 1.15)
        self.add_red_cells(whites)
        self.add_platelets(whites, stain)
        for x, y, radius in whites:
            absorbed, cover = white_cell(self.rng, radius, label, stain)
            self.covers.append(np.zeros(shape, np.float32))
            self.covers[-1][self.add(x, y, absorbed, cover)] = cover

    def add(self, x, y, absorbed, cover=NO_COVER):
        """Lay a tile on the glass, return where; what it covers cannot be seen any more."""
        top, left = (int(FINER * (place + MARGIN)) - len(absorbed) // 2 for place in (y, x))
        tile = np.s_[top : top + len(absorbed), left : left + len(absorbed)]
        below = self.absorbed[tile] * (1 - cover[..., None])
        # Two cells over each other are not twice as dark: they are squeezed flat.
        self.absorbed[tile] = below + absorbed - 0.7 * np.minimum(below, absorbed).clip(0)
        return tile

    def fits(self, x, y, radius):
        """Tell whether a white cell there is almost wholly in the picture, before and after the turn."""
        room = np.array([WIDTH, HEIGHT]) - 0.95 * radius
        spots = np.array([(x, y), self.turn @ (x, y, 1)])
        return (spots > 0.95 * radius).all() and (spots < room).all()

    def place_white_cells(self, distance):
        """Choose places and radii of one white cell, or of two at the given distance."""
        low, high = RADII[self.label]
        while True:
            radius = self.rng.uniform(low, high)
            x, y = self.rng.uniform(0, WIDTH), self.rng.uniform(0, HEIGHT)
            cells = [(x, y, radius)]
            if distance:
                other, angle = self.rng.uniform(low, low + 4), self.rng.uniform(0, 2 * np.pi)
                gap = distance * (radius + other)
                cells.append((x + gap * np.cos(angle), y + gap * np.sin(angle), other))
            if all(self.fits(*cell) for cell in cells):
                return cells

    def add_red_cells(self, whites):
        """Strew red cells, many of them against another, few over another."""
        rng = self.rng
        tone = (RED_CELL + rng.uniform() * (RED_CELL_MAUVE - RED_CELL)) * rng.uniform(0.75, 1.15)
        size = rng.uniform(24, 29)
        wanted, reds = rng.randint(16, 38), []
        for _ in range(600):  # trials; a full picture has no room for more
            x, y = rng.uniform(-25, WIDTH + 25), rng.uniform(-25, HEIGHT + 25)
            radius = size * rng.uniform(0.85, 1.08)
            if reds and rng.uniform() < 0.5:
                near, angle = reds[rng.randint(len(reds))], rng.uniform(0, 2 * np.pi)
                gap = rng.uniform(0.75, 1.0) * (near[2] + radius)
                x, y = near[0] + gap * np.cos(angle), near[1] + gap * np.sin(angle)
            free = all(np.hypot(x - a, y - b) > 0.72 * (radius + r) for a, b, r in reds)
            free &= all(np.hypot(x - a, y - b) > 0.93 * (radius + r) for a, b, r in whites)
            if free and len(reds) < wanted and -25 < x < WIDTH + 25 and -25 < y < HEIGHT + 25:
                reds.append((x, y, radius))
                self.add(x, y, red_cell(rng, radius, tone))

    def add_platelets(self, whites, stain):
        """Strew a few platelets, none at a white cell."""
        for _ in range(self.rng.randint(0, 6)):
            x, y = self.rng.uniform(0, WIDTH), self.rng.uniform(0, HEIGHT)
            speck = platelet(self.rng, stain)
            if all(np.hypot(x - a, y - b) > 1.2 * r + 8 for a, b, r in whites):
                self.add(x, y, speck)

    def finish(self, drawn):
        """Cut the margin off and shrink to the picture's size."""
        edge = FINER * MARGIN
        return cv2.resize(drawn[edge:-edge, edge:-edge], (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)

    def light(self):
        """Draw the bare lit glass: a warm grey, darker at the borders and a little uneven."""
        rng = self.rng
        colour = rng.uniform(207, 226) * np.array([rng.uniform(0.95, 0.99), 1, rng.uniform(0.97, 1.01)])
        x, y = np.meshgrid(np.linspace(-1, 1, WIDTH), np.linspace(-1, 1, HEIGHT))
        centre = rng.uniform(-0.3, 0.3, size=2)
        fall = rng.uniform(0.02, 0.06) * ((x - centre[0]) ** 2 + (y - centre[1]) ** 2)
        return colour * (1 - fall + 0.008 * cloud(rng, x.shape, 80))[..., None]

    def photograph(self):
        """Take the picture: light, blur, noise, then the turn."""
        picture = self.light() * np.exp(-self.finish(self.absorbed))
        picture = cv2.GaussianBlur(picture, (0, 0), self.rng.uniform(0.6, 1.3))
        noise = self.rng.normal(scale=self.rng.uniform(2.5, 5), size=picture.shape)
        picture += cv2.GaussianBlur(noise, (0, 0), 0.6)
        return self.turned(picture.clip(0, 255).round().astype(np.uint8))

    def turned(self, picture):
        """Turn about the centre and fill with black."""
        return cv2.warpAffine(picture, self.turn, (WIDTH, HEIGHT)) if self.angle else picture

    def boxes(self):
        """Give x, y, width and height of what is seen of each white cell."""
        covers = (self.turned(self.finish(cover)) for cover in self.covers)
        return [cv2.boundingRect((cover > 0.5).astype(np.uint8)) for cover in covers]


def smears():
    """Make all pictures: yield the name, the JPEG and the rows of boxes of each."""
    for number in range(len(LABELS) * PER_LABEL + N_EMPTY):
        label = LABELS[number // PER_LABEL] if number < len(LABELS) * PER_LABEL else None
        folder = f"images/{label}" if label else "empty"
        smear = Smear(number, label)
        jpeg = cv2.imencode(".jpg", smear.photograph(), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
        yield f"{folder}/smear_{number:02}.jpg", jpeg, [(*box, "WBC", label) for box in smear.boxes()]


def write(made):
    """Write the pictures and boxes.csv."""
    for name, jpeg, _ in made:
        (TARGET / name).parent.mkdir(parents=True, exist_ok=True)
        (TARGET / name).write_bytes(jpeg.tobytes())
    with open(TARGET / "boxes.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows([name, *box] for name, _, boxes in made for box in boxes)


def compare(made):
    """Name the first thing in cells/ that is not as made, if any.

    Floats and JPEG codecs differ a little from machine to machine: 3 grey levels in the mean of a picture
    and 1 pixel in a box are let pass.
    """
    found = {path.relative_to(TARGET).as_posix() for path in TARGET.rglob("*") if path.is_file()}
    for name in sorted(found ^ {"boxes.csv", *(name for name, _, _ in made)}):
        return f"{name} is {'not made here' if name in found else 'missing'}"
    for name, jpeg, _ in made:
        old = cv2.imread(str(TARGET / name))
        new = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
        if old is None or old.shape != new.shape or cv2.absdiff(old, new).mean() >= 3:
            return f"{name} differs"
    with open(TARGET / "boxes.csv", newline="") as file:
        header, *rows = csv.reader(file)
    boxes = [(name, *box) for name, _, boxes in made for box in boxes]
    same = tuple(header) == HEADER and len(rows) == len(boxes)
    for row, box in zip(rows, boxes, strict=False):
        same = same and (row[0], *row[5:]) == (box[0], *box[5:])
        same = same and np.abs(np.subtract([int(number) for number in row[1:5]], box[1:5])).max() <= 1
    return None if same else "boxes.csv differs"


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    only_check = parser.parse_args().check
    made = list(smears())
    if not only_check:
        write(made)
    elif difference := compare(made):
        sys.exit(f"{TARGET}: {difference}; run {Path(__file__).name} without --check")


if __name__ == "__main__":
    main()
