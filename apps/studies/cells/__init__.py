"""The study of "SDCA vs. Pegasos for linear SVM fitting": lymphocytes against neutrophils."""

from ..frame.context import Context
from ..frame.report import Report

SPLITS, QUICK_SPLITS = 10, 5  # random ones, of which the first is that of the curves
RUNS, QUICK_RUNS = 100, 20
ORIGINALS, QUICK_ORIGINALS = 60, 20  # smears of a class that are drawn where there are no photographs
QUICK_IMAGES = 400


def run(context: Context) -> Report:
    """Run the study."""
    from . import claims, experiments, figures, images, sheets, tables

    runs = context.runs or (QUICK_RUNS if context.quick else RUNS)
    originals, splits = (QUICK_ORIGINALS, QUICK_SPLITS) if context.quick else (ORIGINALS, SPLITS)
    method = context.choices.get("crop", "center")
    with images.study_images(context, originals) as (files, what):
        some = images.sample(files, QUICK_IMAGES, context.seed) if context.quick else files
        crops = images.cropped(context, some, method)
        made = experiments.Images(crops)
        random = experiments.random_splits(crops, splits, context.seed)
        train, test = random[0]
        pictures = sheets.sheets(made, train, test, photographs=what.photographs)
    signs = crops.signs[train], crops.signs[test]
    traces = {
        name: experiments.traced(context, name, rows, signs, runs)
        for name, rows in made.features(train, test)
    }
    at_random = experiments.errors(context, "random splits", made, random)
    folds = experiments.grouped_splits(crops, context.seed)
    grouped = experiments.errors(context, "grouped folds", made, folds) if folds else None
    return Report(
        name="cells",
        title="White blood cells: SDCA against Pegasos",
        document="D. Bouche and C. Verluise, SDCA vs. Pegasos for linear SVM fitting: applications to blood "
        "cells classification (2018)",
        data=images.words(crops, what),
        settings={
            "lambda": experiments.ALPHA,
            "epochs": f"{experiments.EPOCHS}, Pegasos {experiments.PEGASOS_EPOCHS}",
            "batch of Pegasos": experiments.BATCH,
            "components": experiments.COMPONENTS,
            "runs": runs,
            "images to train on, to test on": f"{len(train):,}, {len(test):,}",
            "crops by": method,
            "CPU seconds to crop an image": round(crops.seconds, 4),
        },
        claims=claims.claims(traces, at_random, grouped, what.photographs),
        figures=[
            *figures.curves(traces),
            figures.spectrum(experiments.spectrum(context, made, train)),
            *pictures,
        ],
        tables=tables.tables(traces, at_random, grouped),
    )
