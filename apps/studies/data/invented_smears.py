"""Invented microscope pictures of blood smears, drawn from a seed.

Each shows red cells, platelets alone or in a clump, and a white cell of one of two classes, lymphocytes and
neutrophils. Every one has a stain, a density and a light of its own.
"""

import itertools

import cv2
import numpy as np

WIDTH, HEIGHT = 320, 240
# All lengths are in pixels of the finished picture; it is drawn finer, and with a margin for cells that its
# border cuts.
FINER = 2
MARGIN = 70
# Measured on photographs with labels checked by eye (data/measure_smears.py): least, usual and most radius of
# a cell, pixels; least and most share of its nucleus in it; and how ragged its outline is.
RADII = {"LYMPHOCYTE": (25, 30, 38), "NEUTROPHIL": (31, 42, 48)}
NUCLEUS_SHARE = {"LYMPHOCYTE": (0.66, 0.84), "NEUTROPHIL": (0.44, 0.62)}
ROUGHNESS = {"LYMPHOCYTE": 0.14, "NEUTROPHIL": 0.10}
LOBES = [3, 3, 4, 4, 5]  # of a neutrophil
OVERLAP = 0.9  # least distance of two lobes, in sums of their radii
RED_RADIUS = (23.1, 25.6)

# What each thing takes away of the light, as a logarithm, in cv2's order: blue, green, red. Of each thing
# there are two colours, faint and strong; a smear has one between them. The blue of a nucleus, and half of
# its red, goes with how small the cell is.
RED_CELL = np.array([[0.11, 0.20, 0.07], [0.28, 0.34, 0.14]])
NUCLEUS = {
    "LYMPHOCYTE": np.array([[-0.12, 0.55, 0.32], [0.04, 0.86, 0.62]]),
    "NEUTROPHIL": np.array([[-0.13, 0.53, 0.23], [-0.01, 0.93, 0.55]]),
}
CYTOPLASM = {
    "LYMPHOCYTE": np.array([[-0.03, 0.08, 0.10], [0.03, 0.18, 0.22]]),
    "NEUTROPHIL": np.array([[-0.03, 0.12, 0.03], [0.04, 0.27, 0.13]]),
}
VIOLET_GRANULE = np.array([0.00, 0.10, 0.06])


def cloud(rng, shape, grain):
    """Draw smooth noise around 0, its spots about `grain` points wide."""
    coarse = rng.normal(size=[n // grain + 2 for n in shape])
    return cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC)


def between(pair, share):
    """Mix two colours: 0 is the first, 1 the second."""
    return pair[0] + share * (pair[1] - pair[0])


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
    """Draw a red cell: what it takes away of the light at each point of a tile, and what it covers."""
    out = blob(rng, *grid(1.5 * radius), radius, roughness=rng.choice([0.04, 0.06, 0.1]), stretch=1.4)
    pallor = rng.choice([0.1, 0.35, 0.6, 0.8])
    hollow = pallor * np.exp(-((out / rng.uniform(0.2, 0.6)) ** 4))
    rim = 0.2 * np.exp(-(((out - 0.87) / 0.1) ** 2))
    thickness = inside(out, radius, 2.5) * (0.85 - hollow + rim) * rng.uniform(0.8, 1.15)
    halo = 0.05 * np.exp(-(((out - 1.08) / 0.05) ** 2))
    if rng.uniform() < 0.15:  # a glint
        halo += 0.25 * np.exp(-((blob(rng, *grid(1.5 * radius), 2.5)) ** 2))
    return thickness[..., None] * tone - halo[..., None], inside(out, radius)


def platelet(rng, stain):
    """Draw a platelet: a small frayed speck, darker within."""
    radius = rng.uniform(4, 6)
    out = blob(rng, *grid(3 * radius), radius, roughness=0.15, stretch=1.6)
    cover = inside(out, radius, 3)
    speck = cover * (0.7 + 0.4 * np.exp(-4 * out**2)) * rng.uniform(0.5, 0.8)
    return (speck * (1 + 0.2 * cloud(rng, out.shape, 4)))[..., None] * stain, cover


def melted(cover):
    """Let parts that touch flow into each other: blurred, then sharpened again."""
    return np.clip(3 * cv2.GaussianBlur(cover, (0, 0), 1.2 * FINER) - 1, 0, 1)


def round_nucleus(rng, x, y, radius):
    """Draw a lymphocyte's nucleus: one dense disc that almost fills the cell of the given radius."""
    size = np.sqrt(rng.uniform(*NUCLEUS_SHARE["LYMPHOCYTE"])) * radius
    shift = rng.uniform(-0.6, 0.6, size=2) * (0.96 * radius - size)
    return inside(blob(rng, x - shift[0], y - shift[1], size, roughness=0.1, stretch=1.25), size, 2)


def chain(rng, sizes, least):
    """Choose the centres of lobes of given radii in a cell of radius 1: each beside the one before, or a
    little over it. What finds no room shrinks a little.
    """
    while True:
        angles = rng.uniform(0, 2 * np.pi, size=len(sizes))
        steps = np.transpose([np.cos(angles), np.sin(angles)]) * rng.uniform(least, 1.1)
        steps[0] *= 0.9 - sizes[0]
        steps[1:] *= (sizes[1:] + sizes[:-1])[:, None]
        centres = np.cumsum(steps, axis=0)
        apart = np.hypot(*(centres[:, None] - centres).transpose(2, 0, 1)) + 9 * np.eye(len(sizes))
        if (apart > least * np.add.outer(sizes, sizes)).all() and (np.hypot(*centres.T) + sizes < 1).all():
            return centres, sizes
        sizes = 0.9998 * sizes


def lobed_nucleus(rng, x, y, radius):
    """Draw a nucleus of lobes, each joined to the next by a thin bridge."""
    n, share = rng.choice(LOBES), rng.uniform(*NUCLEUS_SHARE["NEUTROPHIL"])
    centres, sizes = chain(rng, np.sqrt(share / n) * rng.uniform(0.85, 1.1, size=n), OVERLAP)
    centres, sizes = radius * centres, radius * sizes
    lobes = [
        inside(blob(rng, x - a, y - b, size, roughness=0.09, stretch=1.4), size)
        for (a, b), size in zip(centres, sizes, strict=True)
    ]
    cover = np.max(lobes, axis=0)
    for start, end in itertools.pairwise(centres):
        cover = np.maximum(cover, bridge(x, y, start, end, rng.uniform(0.06, 0.12) * radius))
    return melted(cover)


def bridge(x, y, start, end, width):
    """Draw a straight band between two points, `width` to each side."""
    (left, top), (run, fall) = start, np.subtract(end, start)
    part = np.clip(((x - left) * run + (y - top) * fall) / (run**2 + fall**2), 0, 1)
    return inside(np.hypot(x - left - part * run, y - top - part * fall) / width, width)


def dots(rng, shape, size, distance):
    """Strew round dots with soft edges: `size` wide at half their height, about `distance` apart."""
    seeds = (rng.uniform(size=shape) < 1 / (FINER * distance) ** 2).astype(float)
    width = FINER * size / 2.35
    return np.minimum(cv2.GaussianBlur(seeds, (0, 0), width) * 2 * np.pi * width**2, 1.3)


def white_cell(rng, radius, label, strength):
    """Draw a white cell: what it takes away of the light, and which part of its tile it covers."""
    x, y = grid(1.5 * radius)
    cover = inside(blob(rng, x, y, radius, ROUGHNESS[label], stretch=1.4), radius, 2)
    grains = cloud(rng, x.shape, 20), cloud(rng, x.shape, 5)
    chromatin = 1 + 0.15 * grains[0] + 0.05 * grains[1]
    nucleus = round_nucleus if label == "LYMPHOCYTE" else lobed_nucleus
    core = cover * nucleus(rng, x, y, radius)
    small = np.interp(radius, RADII[label][::2], (1, 0))
    stain = between(NUCLEUS[label], np.array([small, strength, (small + strength) / 2]))
    patches = 1 + 0.35 * cloud(rng, x.shape, 32) + 0.08 * cloud(rng, x.shape, 6)
    cytoplasm = patches[..., None] * between(CYTOPLASM[label], strength)
    if label == "NEUTROPHIL":  # fine and faint granules
        cytoplasm += rng.uniform(0.5, 2.0) * dots(rng, x.shape, 1.5, 3)[..., None] * VIOLET_GRANULE
    absorbed = (cover * (1 - core))[..., None] * cytoplasm + (core * chromatin)[..., None] * stain
    return absorbed, cover


class Smear:
    """One picture: what is on the glass, and how it is photographed.

    Parameters
    ----------
    number : int or list of int
        The seed.
    label : {"LYMPHOCYTE", "NEUTROPHIL"}
        Of the white cell.
    """

    def __init__(self, number, label):
        self.rng = np.random.RandomState(number)  # its numbers are the same in every version of numpy
        shape = (FINER * (HEIGHT + 2 * MARGIN), FINER * (WIDTH + 2 * MARGIN))
        self.absorbed = np.zeros((*shape, 3))
        self.turn = mirrored_and_turned(self.rng)
        x, y, radius = white = self.place_white_cell(label)
        strength = self.rng.uniform()
        self.add_red_cells(white)
        self.add_platelets(white, between(NUCLEUS["NEUTROPHIL"], strength))
        absorbed, cover = white_cell(self.rng, radius, label, strength)
        self.add(x, y, absorbed, cover, hides=True)

    def add(self, x, y, absorbed, cover, hides=False):
        """Lay a tile on the glass; what it hides cannot be seen any more."""
        top, left = (int(FINER * (place + MARGIN)) - len(absorbed) // 2 for place in (y, x))
        tile = np.s_[top : top + len(absorbed), left : left + len(absorbed)]
        below = self.absorbed[tile] * (1 - cover[..., None] * hides)
        # Two cells over each other are not twice as dark: they are squeezed flat.
        self.absorbed[tile] = below + absorbed - 0.7 * np.minimum(below, absorbed).clip(0)

    def fits(self, x, y, radius):
        """Tell whether a white cell there is almost wholly in the picture, and in a copy of it."""
        room = np.array([WIDTH, HEIGHT]) - 0.95 * radius
        spots = np.vstack([(x, y), cv2.transform(np.array([[(x, y)]]), self.turn)[0]])
        return (spots > 0.95 * radius).all() and (spots < room).all()

    def place_white_cell(self, label):
        """Choose place and radius of the white cell."""
        low, usual, high = RADII[label]
        while True:
            radius = self.rng.triangular(low, usual, high)
            x, y = self.rng.uniform(0, WIDTH), self.rng.uniform(0, HEIGHT)
            if self.fits(x, y, radius):
                return x, y, radius

    def add_red_cells(self, white):
        """Strew red cells, many of them against another, few over another."""
        rng = self.rng
        tone = between(RED_CELL, rng.uniform())
        size = rng.uniform(*RED_RADIUS)
        wanted, reds = rng.randint(14, 32), []
        for _ in range(800):  # trials; a full picture has no room for more
            x, y = rng.uniform(-20, WIDTH + 20), rng.uniform(-20, HEIGHT + 20)
            radius = size * rng.uniform(0.85, 1.08)
            if reds and rng.uniform() < 0.5:
                near, angle = reds[rng.randint(len(reds))], rng.uniform(0, 2 * np.pi)
                gap = rng.uniform(0.75, 1.0) * (near[2] + radius)
                x, y = near[0] + gap * np.cos(angle), near[1] + gap * np.sin(angle)
            free = all(np.hypot(x - a, y - b) > 0.72 * (radius + r) for a, b, r in reds)
            free &= np.hypot(x - white[0], y - white[1]) > 0.95 * (radius + white[2])
            if free and len(reds) < wanted and -20 < x < WIDTH + 20 and -20 < y < HEIGHT + 20:
                reds.append((x, y, radius))
                self.add(x, y, *red_cell(rng, radius, tone))

    def add_platelets(self, white, stain):
        """Strew a few platelets and, in every third picture or so, a clump; none at the white cell."""
        rng = self.rng
        spots = [(rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)) for _ in range(rng.randint(0, 6))]
        x, y, clumped = rng.uniform(25, WIDTH - 25), rng.uniform(25, HEIGHT - 25), rng.uniform() < 0.35
        for k in range(rng.randint(3, 6) if clumped else 0):
            angle = 2.4 * k + rng.uniform(-0.4, 0.4)  # the golden angle: side by side, in no order
            spots.append((x + 6 * np.sqrt(k) * np.cos(angle), y + 6 * np.sqrt(k) * np.sin(angle)))
        for x, y in spots:
            speck, cover = platelet(rng, stain)
            if np.hypot(x - white[0], y - white[1]) > 1.2 * white[2] + 10:
                self.add(x, y, speck, cover)

    def finish(self, drawn):
        """Cut the margin off and shrink to the picture's size."""
        edge = FINER * MARGIN
        return cv2.resize(drawn[edge:-edge, edge:-edge], (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)

    def light(self):
        """Draw the bare lit glass: nearly grey, brighter on one side and darker at the borders."""
        rng = self.rng
        colour = rng.uniform([195, 201, 198], [206, 210, 209])
        x, y = np.meshgrid(np.linspace(-1, 1, WIDTH), np.linspace(-1, 1, HEIGHT))
        slope, angle = rng.uniform(0, 0.05), rng.uniform(0, 2 * np.pi)
        rise = slope * (x * np.cos(angle) + y * np.sin(angle))
        fall = rng.uniform(0.01, 0.05) * (x**2 + y**2)
        return colour * (1 + rise - fall + 0.006 * cloud(rng, x.shape, 80))[..., None]

    def photograph(self):
        """Take the picture: light, blur, noise."""
        picture = self.light() * np.exp(-self.finish(self.absorbed))
        picture = cv2.GaussianBlur(picture, (0, 0), self.rng.uniform(0.5, 1.3))
        noise = self.rng.normal(scale=self.rng.uniform(3, 5), size=picture.shape)
        picture += cv2.GaussianBlur(noise, (0, 0), 0.8)
        return picture.clip(0, 255).round().astype(np.uint8)


def mirrored_and_turned(rng):
    """Draw where the points of a picture are in a copy: an affine map."""
    angle = rng.choice([-1, 1]) * rng.uniform(4, 25)
    turn = cv2.getRotationMatrix2D(((WIDTH - 1) / 2, (HEIGHT - 1) / 2), angle, 1)
    turn[:, 2] += (WIDTH - 1) * turn[:, 0]  # mirrored first
    turn[:, 0] *= -1
    return turn


def copy_of(picture, turn):
    """Map a picture to a copy of it, black where it shows nothing."""
    return cv2.warpAffine(picture, turn, (WIDTH, HEIGHT))
