"""The study of "SDCA vs. Pegasos for linear SVM fitting": lymphocytes against neutrophils."""

from ..frame.study_context import Context
from ..frame.study_report import Report
from .many_rows_claim import many_rows_claim

SPLITS, QUICK_SPLITS = 10, 5  # random ones, of which the first is that of the curves
RUNS, QUICK_RUNS = 100, 20
ORIGINALS, QUICK_ORIGINALS = 60, 20  # smears of a class that are drawn where there are no photographs
QUICK_IMAGES = 400


def run(context: Context) -> Report:
    """Run the study."""
    from . import cell_claims, cell_crops, cell_experiments, cell_sheets, cell_tables, solver_curves

    runs = context.runs or (QUICK_RUNS if context.quick else RUNS)
    originals, splits = (QUICK_ORIGINALS, QUICK_SPLITS) if context.quick else (ORIGINALS, SPLITS)
    method = context.choices.get("crop", "center")
    with cell_crops.study_images(context, originals) as (files, what):
        some = cell_crops.sample(files, QUICK_IMAGES, context.seed) if context.quick else files
        crops = cell_crops.cropped(context, some, method)
        made = cell_experiments.Images(crops)
        random = cell_experiments.random_splits(crops, splits, context.seed)
        train, test = random[0]
        pictures = cell_sheets.cell_sheets(made, train, test, photographs=what.photographs)
    signs = crops.signs[train], crops.signs[test]
    traces = {
        name: cell_experiments.traced(context, name, rows, signs, runs)
        for name, rows in made.features(train, test)
    }
    at_random = cell_experiments.errors(context, "random splits", made, random)
    folds = cell_experiments.grouped_splits(crops, context.seed)
    grouped = cell_experiments.errors(context, "grouped folds", made, folds) if folds else None
    return Report(
        name="cells",
        title="White blood cells: SDCA against Pegasos",
        document="D. Bouche and C. Verluise, SDCA vs. Pegasos for linear SVM fitting: applications to blood "
        "cells classification (2018)",
        data=cell_crops.words(crops, what),
        settings={
            "lambda": cell_experiments.ALPHA,
            "epochs": f"{cell_experiments.EPOCHS}, Pegasos {cell_experiments.PEGASOS_EPOCHS}",
            "batch of Pegasos": cell_experiments.BATCH,
            "components": cell_experiments.COMPONENTS,
            "runs": runs,
            "images to train on, to test on": f"{len(train):,}, {len(test):,}",
            "crops by": method,
            "CPU seconds to crop an image": round(crops.seconds, 4),
        },
        claims=[
            *cell_claims.claims(traces, at_random, grouped, what.photographs),
            many_rows_claim(context),
        ],
        figures=[
            *solver_curves.solver_curves(traces),
            solver_curves.singular_value_curve(cell_experiments.spectrum(context, made, train)),
            *pictures,
        ],
        tables=cell_tables.tables(traces, at_random, grouped),
    )
