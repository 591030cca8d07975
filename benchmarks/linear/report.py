"""Tables and plots of what was measured."""

import csv
from typing import NamedTuple

import numpy as np

from .contenders import TARGETS
from .data import SOURCES

LIBLINEAR = "LIBLINEAR"
OURS = "fastsvm"
CONVERTING = "LIBLINEAR + conversion"
NOT_PEERS = (OURS, "fastsvm, 2 threads", "SDCAClassifier", CONVERTING)
LOG_GOAL = 2  # times LIBLINEAR's better solver, on the text sets and a9a, at 1e-3
CLOCKS = {True: "CPU", False: "wall"}


def goals(data, loss, target):
    """By whom and how many times fastsvm is to be faster."""
    if target != 1e-3:
        return {}
    if loss == "hinge":
        return data.goal
    return {LIBLINEAR: LOG_GOAL} if loss == "log" and SOURCES[data.name].text else {}


def table(cells):
    """Rows of text, the header first: `cells` is a list of (data, alpha as written, problem, Cell)."""
    names = [kind.name for kind in cells[0][-1].kinds]
    peers = [name for name in names if name not in NOT_PEERS]
    rows = [["data", "alpha", "target", *names, "best peer/ours", "LL/ours", "", "goal"]]
    for data, alpha, problem, cell in cells:
        for target in TARGETS:
            best = {kind.name: cell.best(kind, target) for kind in cell.kinds}
            sure = "" if cell.precision <= target / 10 else "~"
            row = [data.name, alpha, f"{sure}{target:.0e}".replace("e-0", "e-")]
            row += [_figures(best[name], cell.cut.get(name)) for name in names]
            overall = _ratio(best, cell.cut, peers)
            liblinear = _ratio(best, cell.cut, peers, LIBLINEAR)
            row += [f"{overall} {overall.peer}".strip(), str(liblinear), overall.verdict(1, "won", "lost")]
            wanted = goals(data, problem.loss, target).items()
            verdicts = [
                _ratio(best, cell.cut, peers, who).verdict(x, f"{who}/{x:g} met", f"{who}/{x:g} missed")
                for who, x in wanted
            ]
            rows.append([*row, ", ".join(filter(None, verdicts))])
    return rows


class Ratio(NamedTuple):
    """How many times our time the quickest peer takes, or at the `least`, if it was not waited for."""

    times: float | None
    peer: str = ""
    least: bool = False

    def __str__(self):
        if self.times is None:
            return ""
        return "only ours" if np.isinf(self.times) else f"{'>' if self.least else ''}{self.times:.2f}x"

    def verdict(self, factor, yes, no):
        """`yes` or `no`: whether it is `factor` or more; "?" where that is open, nothing without a ratio."""
        if self.times is None:
            return ""
        return yes if self.times >= factor else "?" if self.least else no


def _ratio(best, cut, peers, start=""):
    """The Ratio for the peers whose names start so."""
    peers = [name for name in peers if name.startswith(start)]
    times = {name: best[name].median for name in peers if best[name]}
    times |= {name: cut[name] for name in peers if not best[name] and name in cut}
    ours = best.get(OURS)
    if not peers or not (ours or any(best[name] for name in peers)):
        return Ratio(None)
    if not ours:
        return Ratio(0.0, min((name for name in peers if best[name]), key=times.get))
    quickest = min(times, key=times.get, default="")
    least = bool(quickest) and best[quickest] is None
    return Ratio(times[quickest] / ours.median if quickest else float("inf"), quickest, least)


def _figures(point, cut):
    if point is None:
        return f">{_ms(cut)}" if cut else "-"
    low, high = min(point.seconds), max(point.seconds)
    return f"{_ms(point.median)} [{_ms(low)}-{_ms(high)}]"


def _ms(seconds):
    ms = 1e3 * seconds
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.3g}"


def markdown(rows):
    """The table as Markdown."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{' --- |' * len(rows[0])}", *body]) + "\n"


def write(folder, stem, cells):
    """Write the table (Markdown and CSV), all fits (CSV) and a plot a data set."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = table(cells)
    (folder / f"{stem}.md").write_text(markdown(rows))
    with open(folder / f"{stem}.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    with open(folder / f"{stem}-fits.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["data", "alpha", "contender", "setting", "suboptimality", "seconds"])
        for data, alpha, _, cell in cells:
            for p in cell.points:
                for seconds in p.seconds:
                    writer.writerow([data.name, alpha, p.contender, p.setting, p.suboptimality, seconds])
    for name in dict.fromkeys(data.name for data, *_ in cells):
        plot(folder / f"{stem}-{name}.png", [cell for cell in cells if cell[0].name == name])


def _luckiest(points):
    """Those points that are better than all quicker ones."""
    kept = []
    for point in sorted(points, key=lambda p: p.median):
        if not kept or point.suboptimality < kept[-1].suboptimality:
            kept.append(point)
    return kept


def plot(path, cells):
    """Suboptimality against time, one panel an alpha."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(max(8, 5.2 * len(cells)), 5.6), layout="constrained")
    panels = figure.subplots(1, len(cells), squeeze=False, sharey=True)[0]
    handles = {}
    for axes, (_, alpha, problem, cell) in zip(panels, cells, strict=True):
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
                color=f"C{k % 10}" if not ours else ("black", "dimgray")[k],
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
        axes.set_xlabel(f"{CLOCKS[problem.threads == 1]} time, ms")
    panels[0].set_ylabel("suboptimality  (P(w) - P*) / P*")
    figure.suptitle(f"{cells[0][0].name}, {problem.loss}, threads: {problem.threads}")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=4)
    figure.savefig(path, dpi=110)
