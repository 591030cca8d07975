"""Pictures of decision surfaces: as they end, as they grow, and moving."""

from collections.abc import Iterator, Sequence
from io import BytesIO

import numpy as np

from ...common.matplotlib_figures import OKABE_ITO
from ..frame.study_report import Figure
from .planes import Gaussian, Linear, Surfaces

POSITIVE, NEGATIVE = OKABE_ITO["blue"], OKABE_ITO["vermilion"]
SIDES = ("#f8d9c8", "#cfe3f2")  # the same, pale
STILLS = 6
COLOURS = 32  # of a frame
PACE, PAUSE = 250, 2500  # milliseconds that a frame is seen, and the last one
SMALL = {"labelsize": 7}


def figures(found: Sequence[Surfaces]) -> list[Figure]:
    """Return the pictures."""
    if not found:
        return []
    rows = -(-len(found) // 2)
    pictures = [
        Figure(
            "surfaces",
            "Decision surfaces",
            "Each side of the line has the colour of its label, as the last step leaves it. Dots are trained "
            "on, crosses are held out.",
            lambda sheet: _draw_last(sheet, found),
            size=(9.0, 0.5 + 3.6 * rows),
            source="figures ov, pov, pflame, pjain, povl",
        ),
    ]
    for kind, said, source in (
        (Linear, "Lines", "figures svm_ov, lr_ov"),
        (Gaussian, "Curves of kernel machines", "figures svm_flame, svm_jain"),
    ):
        those = [each for each in found if isinstance(each.plane.method, kind)]
        if those:
            pictures.append(
                Figure(
                    f"steps-{kind.__name__.lower()}",
                    f"{said} as the steps go",
                    f"After some of the steps: {STILLS} of the pictures of each animation.",
                    lambda sheet, those=those: _draw_stills(sheet, those),
                    size=(12.0, 0.4 + 2.2 * len(those)),
                    source=source,
                )
            )
    for each in found:
        pictures.append(
            Figure(
                f"animation-{each.plane.name}",
                f"{each.plane.title}: step by step",
                "After 1 step, 2 steps and so on; each picture has 1.4 times the steps of the one before.",
                lambda sheet, each=each: _animated(sheet, each),
                size=(3.2, 3.0),
                ending="gif",
            )
        )
    return pictures


def _draw_last(sheet, found: Sequence[Surfaces]) -> None:
    axes = sheet.subplots(-(-len(found) // 2), 2, squeeze=False).ravel()
    for ax, each in zip(axes, found, strict=False):
        _draw(ax, each, -1)
        n_right = round(float(each.shown) * each.n_test)
        ax.set_title(f"{each.plane.title}: right on {n_right} of {each.n_test}", fontsize=10)
        _label(ax, each)
    for ax in axes[len(found) :]:
        ax.set_axis_off()
    sheet.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)


def _draw_stills(sheet, found: Sequence[Surfaces]) -> None:
    axes = sheet.subplots(len(found), STILLS, squeeze=False, sharex="row", sharey="row")
    for line, each in zip(axes, found, strict=True):
        for ax, frame in zip(line, _stills(len(each.steps)), strict=True):
            _draw(ax, each, frame, size=4)
            ax.set_title(f"step {each.steps[frame]:,}", fontsize=9)
            ax.tick_params(**SMALL)
        line[0].set_ylabel(f"{each.plane.title}\ny", fontsize=8)
    sheet.supxlabel(f"x (as y, in {_unit(found[0])})", fontsize=9)


def _stills(n_frames: int) -> list[int]:
    return np.linspace(0, n_frames - 1, STILLS).round().astype(int).tolist()


def _animated(sheet, each: Surfaces) -> bytes:
    """Draw every frame, and return them as a GIF."""
    from PIL import Image

    frames = [Image.fromarray(pixels) for pixels in _frames(sheet, each)]
    palette = frames[-1].quantize(COLOURS)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    buffer = BytesIO()
    times = [PACE] * (len(frames) - 1) + [PAUSE]
    options = {"save_all": True, "duration": times, "loop": 0, "optimize": True}
    frames[0].save(buffer, "GIF", append_images=frames[1:], **options)
    return buffer.getvalue()


def _frames(sheet, each: Surfaces) -> Iterator[np.ndarray]:
    """Yield the pixels of each frame; axes, which take most of the time, are drawn once."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas, ax = FigureCanvasAgg(sheet), sheet.subplots()
    points = _draw_points(ax, each, size=8)
    _label(ax, each, fontsize=8)
    ax.tick_params(**SMALL)
    title = ax.set_title(f"{each.plane.title}\nstep {each.steps[-1]:,} of {each.steps[-1]:,}", fontsize=8)
    moving = [*points, *ax.spines.values(), title]
    sheet.draw_without_rendering()  # finds the layout
    for artist in moving:
        artist.set_animated(True)
    canvas.draw()
    empty = canvas.copy_from_bbox(sheet.bbox)
    for frame, n_steps in enumerate(each.steps.tolist()):
        canvas.restore_region(empty)
        title.set_text(f"{each.plane.title}\nstep {n_steps:,} of {each.steps[-1]:,}")
        surface = _draw_surface(ax, each, frame)
        for artist in (*surface, *moving):
            ax.draw_artist(artist)
        for artist in surface:
            artist.remove()
        yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _draw(ax, each: Surfaces, frame: int, size: float = 14) -> None:
    """Draw a surface with the points."""
    _draw_points(ax, each, size)
    _draw_surface(ax, each, frame)


def _draw_points(ax, each: Surfaces, size: float) -> list:
    held_out = np.ones(len(each.y), bool)
    held_out[each.rows] = False
    drawn = []
    for those, marker, said in ((~held_out, "o", "trained on"), (held_out, "x", "held out")):
        for sign, colour, side in ((1, POSITIVE, "first label"), (-1, NEGATIVE, "second label")):
            part = each.X[those & (each.y == sign)]
            style = {"s": size, "marker": marker, "c": colour, "linewidths": 0.8, "zorder": 3}
            drawn.append(ax.scatter(*part.T, label=f"{side}, {said}", **style))
    ax.set_xlim(each.across[[0, -1]])
    ax.set_ylim(each.up[[0, -1]])
    return drawn


def _draw_surface(ax, each: Surfaces, frame: int) -> list:
    field = each.fields[frame]
    drawn = [ax.contourf(each.across, each.up, field, levels=(-2, 0, 2), colors=SIDES)]
    if field.min() < 0 < field.max():
        drawn.append(ax.contour(each.across, each.up, field, levels=(0,), colors="0.15", linewidths=1.2))
    return drawn


def _label(ax, each: Surfaces, **options) -> None:
    ax.set_xlabel(f"x ({_unit(each)})", **options)
    ax.set_ylabel(f"y ({_unit(each)})", **options)


def _unit(each: Surfaces) -> str:
    return "a cloud's standard deviations" if each.plane.is_fresh else "standard deviations"
