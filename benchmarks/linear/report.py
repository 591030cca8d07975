"""A plot of what was measured."""

from .contenders import TARGETS


def _luckiest(points):
    """Those points that are better than all quicker ones."""
    kept = []
    for point in sorted(points, key=lambda p: p.median):
        if not kept or point.suboptimality < kept[-1].suboptimality:
            kept.append(point)
    return kept


def plot(cells):
    """Suboptimality against time, one panel an alpha: `cells` has (title, alpha as written, Cell)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(max(8, 5.2 * len(cells)), 5.6), layout="constrained")
    panels = figure.subplots(1, len(cells), squeeze=False, sharey=True)[0]
    handles = {}
    for axes, (_, alpha, cell) in zip(panels, cells, strict=True):
        for k, kind in enumerate(cell.kinds):
            points = [p for p in cell.points if p.contender == kind.name]
            if not points:
                continue
            ours = kind.certified
            points = points if ours else _luckiest(points)
            line = axes.plot(
                [1e3 * p.median for p in points],
                [max(p.suboptimality, 1e-9) for p in points],
                "-" if ours else "-.",
                color="black" if ours else f"C{k % 10}",
                marker="os^vD<>PX*hd"[k],
                markersize=7 if ours else 4,
                linewidth=2 if ours else 1,
                zorder=3 if ours else 2,
            )
            handles[kind.name] = line[0]
        for target in TARGETS:
            axes.axhline(target, color="silver", linewidth=0.7, zorder=1)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(min(TARGETS) / 10, 2)
        axes.set_title(f"alpha = {alpha}")
        axes.set_xlabel("CPU time, ms")
    panels[0].set_ylabel("suboptimality  (P(w) - P*) / P*")
    figure.suptitle(cells[0][0])
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=4)
    return figure
