"""The study of "SDCA vs. Pegasos for linear SVM fitting": lymphocytes against neutrophils."""

from ...report.study_report import Context, Report
from .many_rows_claim import many_rows_claim

RUNS, QUICK_RUNS = 100, 20
ORIGINALS, QUICK_ORIGINALS = 60, 10  # smears of a class that are drawn
QUICK_IMAGES = 200


def run(context: Context) -> Report:
    """Run the study."""
    from . import cell_claims, cell_crops, cell_experiments, cell_sheets, cell_tables, solver_curves

    runs = context.runs or (QUICK_RUNS if context.quick else RUNS)
    photographs, checked = cell_crops.photographs(context.data)
    originals = QUICK_ORIGINALS if context.quick or photographs else ORIGINALS
    with cell_crops.drawn_smears(context, originals) as files:
        images = cell_experiments.Images(cell_crops.cropped(context, files))
        sheets = cell_sheets.cell_sheets(images, context)
    if photographs:
        step = len(photographs) // QUICK_IMAGES or 1 if context.quick else 1
        crops = cell_crops.cropped(context, photographs[::step])
        images = cell_experiments.Images(crops.labelled({}))
        sheets = [*cell_sheets.cell_sheets(images, context, photographs=True), *sheets]
    traces, at_random, grouped = cell_experiments.measured(context, images, runs)
    claims = cell_claims.claims(traces, at_random, grouped, bool(photographs))
    data = cell_crops.words(images.crops, bool(photographs))
    if checked:
        again = cell_experiments.Images(crops.labelled(checked))
        second = cell_claims.claims(*cell_experiments.measured(context, again, runs), True)
        claims = list(map(cell_claims.beside, claims, second))
        data += f" With labels checked by eye: {cell_crops.counts(again.crops)}."
    return Report(
        name="cells",
        title="White blood cells: SDCA against Pegasos",
        document="D. Bouche and C. Verluise, SDCA vs. Pegasos for linear SVM fitting: applications to blood "
        "cells classification (2018)",
        data=data,
        settings={
            "lambda": cell_experiments.ALPHA,
            "epochs": f"{cell_experiments.EPOCHS}, Pegasos {cell_experiments.PEGASOS_EPOCHS}",
            "batch of Pegasos": cell_experiments.PEGASOS_BATCH,
            "components": cell_experiments.COMPONENTS,
            "runs": runs,
            "images to train on, to test on": "{:,.0f}, {:,.0f}".format(*at_random.sizes),
            "CPU seconds to crop an image": round(images.crops.seconds, 2),
        },
        claims=[*claims, many_rows_claim(context)],
        figures=[
            *solver_curves.solver_curves(traces),
            solver_curves.singular_value_curve(cell_experiments.spectrum(context, images)),
            *sheets,
        ],
        tables=cell_tables.tables(traces, at_random, grouped),
    )
