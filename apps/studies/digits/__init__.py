"""The study of "Linear SVM by Pegasos in R": handwritten 5s and 6s, few to train on."""

from ..frame.context import Context
from ..frame.report import Report


def run(context: Context) -> Report:
    """Run the study."""
    from . import claims, experiments, figures, tables

    digits = experiments.read_digits(context.data)
    runs = context.runs or (20 if context.quick else 100)
    rates = experiments.error_rates(context, digits, runs)
    pace = experiments.paces(context, digits)
    return Report(
        name="digits",
        title="Digits 5 and 6: Pegasos with an intercept",
        document="F. Saud, Linear SVM via Pegasos (SGD) in R",
        data=digits.words,
        settings={
            "lambda": experiments.ALPHA,
            "epochs": experiments.EPOCHS,
            "training images of a class": digits.n_train,
            "test images of a class": digits.n_test,
            "draws": runs,
        },
        claims=claims.claims(digits, rates, pace),
        figures=figures.figures(digits, rates, pace),
        tables=tables.tables(digits, rates, pace),
    )
