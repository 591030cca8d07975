"""From a file to a model and from a file to predictions, every program in processes of its own."""

import tempfile
from pathlib import Path

import numpy as np

from ..common import aligned
from .contenders import CONTENDERS
from .corpora import split
from .process import Failed, launch
from .report import TABLES, columns, table


def programs(options, corpora):
    """Tables of trainings, predictions and of both without the start; return the figures of all rounds."""
    chosen = [c for c in CONTENDERS if not options.contenders or c.name.startswith(tuple(options.contenders))]
    if not chosen:
        known = "; ".join(contender.name for contender in CONTENDERS)
        raise SystemExit(f"--contenders {' '.join(options.contenders)}: names begin otherwise: {known}")
    record = []
    for corpus in corpora:
        rounds, failed = measure(corpus, chosen, options.seeds)
        figures = {name: columns(of) for name, of in rounds.items()}
        for parts in TABLES if rounds else ():
            print(aligned(table(corpus.name, figures, *parts)), end="\n\n")
        print("".join(f"{name}: {why}\n" for name, why in failed.items()), flush=True)
        record += [{"corpus": corpus.name, "contender": name, "rounds": r} for name, r in rounds.items()]
        record += [{"corpus": corpus.name, "contender": name, "failed": why} for name, why in failed.items()]
    return record


def measure(corpus, contenders, seeds):
    """Figures of each round by the contender's name, the contenders alternating; and why others have none."""
    rounds, failed = {}, {}
    with tempfile.TemporaryDirectory(prefix="fastsvm-benchmarks-") as folder:
        for seed in range(seeds):
            files = split(corpus, seed, Path(folder))
            for contender in contenders:
                name = contender.name
                if not contender.installed:
                    failed[name] = f"not installed: pip install {contender.package}"
                if name in failed:
                    continue
                try:
                    found = _round(contender, corpus.tokens, files, Path(folder))
                except Failed as error:
                    failed[name] = str(error)
                    rounds.pop(name, None)
                else:
                    rounds.setdefault(name, []).append({"seed": seed, **found})
    return rounds, failed


def _round(contender, tokens, files, folder):
    model, answers = folder / "model", folder / "answers"
    model.unlink(missing_ok=True)
    imports = launch(contender.imports())
    train = _cost(launch(command) for command in contender.train(tokens, str(files.train), str(model)))
    one = _cost(launch(command) for command in contender.predict(tokens, str(model), str(files.one)))
    asked = contender.predict(tokens, str(model), str(files.texts))
    predict = _cost(launch(command, answers) for command in asked)
    labels = [contender.label(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    if len(labels) != files.n:
        raise Failed(f"{len(labels)} predictions of {files.n} texts")
    right = np.mean(np.array(labels[: len(files.held_out)]) == files.held_out)
    figures = {"accuracy": float(right), "model": model.stat().st_size}
    for task, cost in {"imports": imports, "train": train, "one": one, "predict": predict}.items():
        figures |= {f"{task} {part}": value for part, value in cost._asdict().items()}
    figures["train work"] = train.cpu - imports.cpu
    figures["predict work"] = predict.cpu - one.cpu
    return figures


def _cost(steps):
    """The cost of the last step and of the conversions before it."""
    *before, total = steps
    for cost in before:
        total += cost._replace(converting=cost.wall)
    return total
