# mypy: warn-unused-ignores, check-untyped-defs
"""What type checkers say to uses of the estimators: `mypy` reads this file, nothing runs it."""

from fastsvm import (
    ASDCAClassifier,
    KernelPegasosClassifier,
    KernelSDCAClassifier,
    KernelSDCAClassifierCV,
    PegasosClassifier,
    PerceptronClassifier,
    SDCAClassifier,
    SDCAClassifierCV,
)

rows = [[0.0, 1.0], [1.0, 0.0]]
accuracy: float = SDCAClassifier("log", alpha=1e-2).fit(rows, [0, 1]).score(rows, [0, 1])

# An unused ignore is an error: each of these lines is one that a type checker refuses.
SDCAClassifier(alpa=1)  # type: ignore[call-arg]
SDCAClassifier(alpha="x")  # type: ignore[arg-type]
SDCAClassifierCV(alpa=1)  # type: ignore[call-arg]
KernelSDCAClassifierCV(alpa=1)  # type: ignore[call-arg]
ASDCAClassifier(alpa=1)  # type: ignore[call-arg]
PegasosClassifier(alpa=1)  # type: ignore[call-arg]
PerceptronClassifier(alpa=1)  # type: ignore[call-arg]
KernelSDCAClassifier(alpa=1)  # type: ignore[call-arg]
KernelPegasosClassifier(alpa=1)  # type: ignore[call-arg]
