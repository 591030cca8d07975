"""The figures of decision surfaces: as they end, as they grow, and moving."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from textwrap import fill

import numpy as np

from ...report.study_report import Figure
from ..output.study_charts import Curve, Panel, chart, panel_rows
from ..output.study_colors import BLUE, VERMILION
from .plane_experiments import Gaussian, Linear, Surfaces

SIDES = ("#f8d9c8", "#cfe3f2")  # vermilion and blue, pale
STILLS = 6
COLOURS = 32  # of a frame
PACE, PAUSE = 250, 2500  # milliseconds that a frame is seen, and the last one


# fmt: off
def surface_figures(found: Sequence[Surfaces]) -> list[Figure]:
    """Return the figures."""
    if not found:
        return []
    kinds = [
        ("linear", "Lines", "figures svm_ov, lr_ov",
         [each for each in found if isinstance(each.plane.method, Linear)]),
        ("gaussian", "Curves of kernel machines", "figures svm_flame, svm_jain",
         [each for each in found if isinstance(each.plane.method, Gaussian)]),
    ]
    return [
        Figure("surfaces", "Decision surfaces",
               "Each side of the line has the colour of its label, as the last step leaves it. Dots are "
               "trained on, crosses are held out.",
               chart(*panel_rows([_last_surface(each) for each in found], 2), legend=4),
               size=(9.0, 0.5 + 3.6 * -(-len(found) // 2)), source="figures ov, pov, pflame, pjain, povl"),
        *(Figure(f"steps-{kind}", f"{said} as the steps go",
                 f"After some of the steps: {STILLS} of the pictures of each animation.",
                 chart(*map(_still_panels, those), legend=4, sharey="row"),
                 size=(12.0, 0.7 + 2.4 * len(those)),
                 source=source)
          for kind, said, source, those in kinds if those),
        *(Figure(f"animation-{each.plane.name}", f"{each.plane.title}: step by step",
                 "After 1 step, 2 steps and so on; each picture has 1.4 times the steps of the one before.",
                 partial(_animated_gif, each), size=(3.6, 3.3), ending="gif")
          for each in found),
    ]
# fmt: on


@dataclass(frozen=True)
class Sides:
    """The two sides of a classifier after some of the steps, and the line between them."""

    surfaces: Surfaces
    frame: int

    def draw(self, ax) -> list:
        """Draw them, and return what was drawn."""
        across, up, field = self.surfaces.across, self.surfaces.up, self.surfaces.fields[self.frame]
        drawn = [ax.contourf(across, up, field, levels=(-2, 0, 2), colors=SIDES)]
        if field.min() < 0 < field.max():
            drawn.append(ax.contour(across, up, field, levels=(0,), colors="0.15", linewidths=1.2))
        return drawn


def _plane_points(each: Surfaces, size: float) -> list[Curve]:
    held_out = np.ones(len(each.y), bool)
    held_out[each.rows] = False
    return [
        Curve(*each.X[those & (each.y == sign)].T, colour, f"{side}, {said}", marker, {"markersize": size})
        for those, marker, said in ((~held_out, "o", "trained on"), (held_out, "x", "held out"))
        for sign, colour, side in ((1, BLUE, "first label"), (-1, VERMILION, "second label"))
    ]


def _surface_panel(each: Surfaces, frame: int, size: float, title: str) -> Panel:
    unit = "a cloud's standard deviations" if each.plane.is_fresh else "standard deviations"
    axes = {"xlabel": f"x ({unit})", "ylabel": f"y ({unit})", "title": title}
    ends = {"xlim": each.across[[0, -1]], "ylim": each.up[[0, -1]]}
    return Panel(Sides(each, frame), *_plane_points(each, size), **axes, **ends)


def _last_surface(each: Surfaces) -> Panel:
    n_right = round(float(each.shown) * each.n_test)
    return _surface_panel(each, -1, 4, f"{each.plane.title}: right on {n_right} of {each.n_test}")


def _still_panels(each: Surfaces) -> list[Panel]:
    frames = np.linspace(0, len(each.steps) - 1, STILLS).round().astype(int).tolist()
    panels = [_surface_panel(each, frame, 2, f"step {each.steps[frame]:,}") for frame in frames]
    for panel in panels:
        panel.axes["xlabel"] = fill(panel.axes["xlabel"], 24)
        panel.axes["ylabel"] = fill(f"{each.plane.title}: y", 24)
    return panels


def _animated_gif(each: Surfaces, sheet) -> bytes:
    """Draw every frame, and return them as a GIF; axes, which take most of the time, are drawn once."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas, ax, frames = FigureCanvasAgg(sheet), sheet.subplots(), []
    _surface_panel(each, -1, 3, each.plane.title).draw(ax)
    words = ax.text(0.02, 0.98, "", va="top", fontsize=9, transform=ax.transAxes)
    canvas.draw()
    for frame, n_steps in enumerate(each.steps):
        words.set_text(f"step {n_steps:,} of {each.steps[-1]:,}")
        for artist in (*Sides(each, frame).draw(ax), *ax.lines, words):
            ax.draw_artist(artist)
        frames.append(Image.fromarray(np.array(canvas.buffer_rgba())[..., :3]))
    palette = frames[-1].quantize(COLOURS)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    buffer = BytesIO()
    times = [PACE] * (len(frames) - 1) + [PAUSE]
    options = {"save_all": True, "duration": times, "loop": 0, "optimize": True}
    frames[0].save(buffer, "GIF", append_images=frames[1:], **options)
    return buffer.getvalue()
