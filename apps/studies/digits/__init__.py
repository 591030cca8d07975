"""The study of "Linear SVM by Pegasos in R": handwritten 5s and 6s, few to train on."""

from ..frame.study_context import Context
from ..frame.study_report import Report


def run(context: Context) -> Report:
    """Run the study."""
    from ..race.many_rows import race_on_many_rows
    from . import digit_claims, digit_experiments, digit_figures, digit_tables

    digits = digit_experiments.read_digits(context.data)
    runs = context.runs or (20 if context.quick else 100)
    rates = digit_experiments.error_rates(context, digits, runs)
    race = race_on_many_rows(context, intercept=True)
    return Report(
        name="digits",
        title="Digits 5 and 6: Pegasos with an intercept",
        document="F. Saud, Linear SVM via Pegasos (SGD) in R",
        data=digits.words,
        settings={
            "lambda": digit_experiments.ALPHA,
            "epochs": digit_experiments.EPOCHS,
            "training images of a class": digits.n_train,
            "test images of a class": digits.n_test,
            "draws": runs,
        },
        claims=digit_claims.claims(digits, rates, race),
        figures=digit_figures.digit_figures(digits, rates, race),
        tables=digit_tables.tables(digits, rates),
    )
