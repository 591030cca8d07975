"""The colours of the studies' charts, told apart with any colour vision."""

from ....common.matplotlib_figures import OKABE_ITO

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY_BLUE, YELLOW = OKABE_ITO.values()
# Their yellow is too pale for points and lines on white.
TEN_COLORS = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY_BLUE, "#000000", "#999999", "#999933", "#882255"]


def viridis_color(number: int, count: int) -> tuple[float, ...]:
    """Return one of `count` colours from dark to light."""
    import matplotlib

    return matplotlib.colormaps["viridis"](0.9 * number / max(count - 1, 1))
