"""What the pictures of all studies share."""


def tidy(ax, grid: str | None = "both") -> None:
    """Take the box away, and draw a pale grid behind, along an axis or both; None draws none."""
    if grid:
        ax.grid(axis=grid, color="0.9")
        ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def legend_below(sheet, ax, columns: int) -> None:
    """Give the whole picture one legend, of what is on one pair of axes."""
    handles, labels = ax.get_legend_handles_labels()
    sheet.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=9)
