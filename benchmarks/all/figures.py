"""What is measured of a cell, whether it is lost, and what became slower since a stored run."""

from typing import NamedTuple

import numpy as np

LOST, SLOWER = 0.95, 1.1


class Figure(NamedTuple):
    """Seconds of each round: ours and the peers'; of peers that were cut short, the seconds they had."""

    section: str
    cell: str
    ours: list
    peers: dict
    cut: dict = {}  # noqa: RUF012 (a NamedTuple's)
    note: str = ""
    contest: bool = True  # whether there is something to lose

    @property
    def best(self):
        """The quickest peer, and whether it may be quicker than it was given time to show."""
        cut = {name: seconds for name, seconds in self.cut.items() if not self.peers.get(name)}
        times = cut | {name: np.median(seconds) for name, seconds in self.peers.items() if seconds}
        name = min(times, key=times.get, default="")
        return name, name in cut

    @property
    def ratios(self):
        """The quickest peer's time by ours, round by round; empty if either never got there."""
        name, least = self.best
        if not name or not self.ours:
            return np.array([])
        theirs = [self.cut[name]] * len(self.ours) if least else self.peers[name]
        return np.divide(*zip(*zip(theirs, self.ours, strict=False), strict=True))

    @property
    def lost(self):
        """Whether the quickest peer is quicker than we are."""
        if not self.contest or not any(self.peers.values()):
            return False
        ratios = self.ratios
        return not self.ours or (len(ratios) > 0 and (np.median(ratios) < LOST or ratios.max() < 1))

    def row(self):
        """The cell as texts: ours, the quickest peer, the ratio, the mark, all others, the note."""
        (name, least), ratios = self.best, self.ratios
        sign = ">" if least else ""
        texts = {n: _ms(s) for n, s in self.peers.items() if s}
        texts |= {n: f">{_ms([s])}" for n, s in self.cut.items() if not self.peers.get(n)}
        others = ", ".join(f"{n} {text.split(' ')[0]}" for n, text in texts.items() if n != name)
        ratio = f"{sign}{_range(ratios, '.2f')}" if len(ratios) else "only ours" if self.ours else "-"
        mark = "LOST" if self.lost else ""
        ours = _ms(self.ours) if self.ours else "not reached"
        return self.cell, ours, f"{name} {texts.get(name, '')}", ratio, mark, others, self.note

    def record(self):
        """All of it for JSON."""
        name, least = self.best
        ratio = float(np.median(self.ratios)) if len(self.ratios) else None
        return self._asdict() | {"best": name, "least": least, "ratio": ratio, "lost": bool(self.lost)}


def _ms(seconds):
    return _range(1e3 * np.array(seconds), "#.3g")


def _range(values, form):
    low, middle, high = (f"{value:{form}}".rstrip(".") for value in np.quantile(values, (0, 0.5, 1)))
    return f"{middle} [{low}-{high}]" if len(values) > 1 else middle


def regressions(old, machine, figures):
    """Lines on the cells that take longer than then, by our time and by its ratio to the peer's."""
    if old["machine"] != machine:
        raise SystemExit(f"the stored run is of another machine: {old['machine']}, this is {machine}")
    before, lines = {(each["section"], each["cell"]): each for each in old["figures"]}, []
    for figure in figures:
        then = before.get((figure.section, figure.cell))
        if not then or not then["ours"]:
            continue
        now = figure.record()
        if not now["ours"]:
            lines.append(f"{figure.cell}: not reached, before {_ms(then['ours'])} ms")
            continue
        times = np.median(now["ours"]) / np.median(then["ours"])
        same = now["best"] == then["best"] and now["ratio"] and not (now["least"] or then["least"])
        if times > SLOWER and not (same and now["ratio"] * SLOWER > then["ratio"]):
            ratios = f"; {now['best']}/ours {then['ratio']:.2f}, now {now['ratio']:.2f}" if same else ""
            both = f"{_ms(then['ours'])}, now {_ms(now['ours'])} ms"
            lines.append(f"{figure.cell}: {times:.2f}x as long, {both}{ratios}")
    return lines
