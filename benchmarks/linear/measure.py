"""Rounds in which contenders alternate, and what they say about a target."""

import hashlib
import json
import time
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from fastsvm.solvers import sdca

from .data import CACHE

LIMIT = 2  # seconds that a fit may take, and the repeated ones of a contender together
STALLED, HOPELESS = 5, 5
SURE = 3  # times better than a target: what is reached once at random, may not be the next time
MARGIN = 1.5  # settings within this factor of a contender's quickest one are repeated


class Run(NamedTuple):
    """One fit."""

    contender: str
    setting: object
    seconds: float
    suboptimality: float


def reference(problem, limit, tol=1e-9):
    """A proven lower bound on the optimum and its relative gap, from a tight fit; kept in a file.

    Fits go on from one another until `tol` or the limit, in CPU seconds, is reached.
    """
    path = CACHE / f"optimum-{_fingerprint(problem)}.json"
    known = json.loads(path.read_text()) if path.exists() else None
    if known and (known["gap"] <= tol or known["limit"] >= limit):
        return known["bound"], known["gap"]
    started, bound, lowest, start, epochs = time.process_time(), -np.inf, np.inf, None, 64
    while True:
        options = {"tol": tol, "max_iter": epochs, "start": start, "random_state": epochs}
        result = sdca(problem.X, problem.y, **problem.options, **options)
        bound = max(bound, result.objective - result.gap)
        lowest = min(lowest, result.objective)
        spent = time.process_time() - started
        if lowest - bound <= tol * lowest or spent > limit / 2:
            break
        start, epochs = (result.w if problem.l1 else result.dual, result.intercept), 2 * epochs
    gap = (lowest - bound) / lowest
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"bound": bound, "gap": gap, "limit": limit}))
    return bound, gap


def _fingerprint(problem):
    X = problem.X
    values = getattr(X, "data", X) if not isinstance(X, np.ndarray) else X.reshape(-1)
    parts = [X.shape, problem.options, float(values.sum())]
    parts += [values[:: max(1, len(values) // 1000)].tolist(), float(problem.y @ np.arange(problem.n))]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def measure(problem, kinds, *, rounds, bounds, limit=LIMIT, hopeless=HOPELESS):
    """Let the contenders solve the problem at their settings, `rounds` times, alternating.

    The result are the CPU seconds of each round, by target and contender, at the setting that reaches the
    target soonest; and, of contenders whose ladder ended because it took too long, those of the slowest fit.
    `bounds` are on the optimum without and with a penalty on the intercept. The first round climbs each
    one's ladder until the tightest target is reached, or a fit takes more than `limit` seconds (or `hopeless`
    times what fastsvm takes to that target), or the last STALLED fits got no further. Later rounds repeat
    the settings that are, or may turn out, the quickest to a target, until that took the limit in all.
    """
    contenders = [kind(problem) for kind in kinds]
    spent = defaultdict(float)
    runs, cut, patience = [], {}, limit

    def run(contender, setting, seed):
        start = time.process_time()
        model = contender.fit(setting, seed)
        seconds = time.process_time() - start
        found = contender.coefficients(model)
        left = min(problem.objective(*found, each) / bounds[each] - 1 for each in contender.penalises)
        runs.append(Run(contender.name, setting, seconds, left))
        spent[contender.name] += seconds
        return runs[-1]

    for contender in contenders:
        contender.prepare()
        contender.fit(contender.settings[0], 0)  # what a first call imports and allocates is nobody's time
        lowest = []
        for setting in contender.settings:
            found = run(contender, setting, 0)
            lowest.append(min([found.suboptimality, *lowest[-1:]]))
            if found.seconds > patience or spent[contender.name] > min(2 * limit, 2 * patience):
                cut[contender.name] = max(r.seconds for r in runs if r.contender == contender.name)
                break
            stalled = 0.1 > lowest[-1] > 0.9 * ([np.inf] * STALLED + lowest)[-1 - STALLED]
            if contender.certified:
                if found.suboptimality <= min(problem.targets):
                    patience = min(patience, hopeless * found.seconds)
            elif stalled or found.suboptimality <= min(problem.targets) / SURE:
                break
    kept = {c.name: _worth_repeating(c, runs) for c in contenders}
    spent.clear()
    for seed in range(1, rounds):
        for k in range(max(map(len, kept.values()))):
            for contender in contenders:
                settings = kept[contender.name]
                if k < len(settings) and spent[contender.name] <= limit:
                    run(contender, settings[k], seed)
    quickest = {t: {c.name: _quickest(c, runs, t) for c in contenders} for t in problem.targets}
    return quickest, cut


def _worth_repeating(contender, runs):
    own = [run for run in runs if run.contender == contender.name]
    if contender.certified:
        return [run.setting for run in own]
    kept = set()
    for target in (share * target for target in contender.problem.targets for share in (1, 1 / SURE)):
        reached = [run for run in own if run.suboptimality <= target]
        quickest = min((run.seconds for run in reached), default=0)
        kept.update(run.setting for run in reached if run.seconds <= MARGIN * quickest)
    return [s for s in contender.settings if s in kept]


def _quickest(contender, runs, target):
    """The seconds at the setting that reaches a target soonest (fastsvm's: at the one that was to)."""
    by_setting = defaultdict(list)
    for run in runs:
        if run.contender == contender.name and (not contender.certified or run.setting == target):
            by_setting[run.setting].append(run)
    reached = [
        [run.seconds for run in fits]
        for fits in by_setting.values()
        if np.median([run.suboptimality for run in fits]) <= target
    ]
    return min(reached, key=np.median, default=[])
