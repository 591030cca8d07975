"""Parameters: one check for each name, and a copy that is checked."""

from dataclasses import fields

import pytest

from fastsvm import SDCAClassifier
from fastsvm.solvers.kernel.params import KernelPegasosParams, KernelSDCAParams
from fastsvm.solvers.params import (
    ASDCAParams,
    PegasosParams,
    PerceptronParams,
    SDCAParams,
    _fields_of,
)

CLASSES = SDCAParams, PegasosParams, PerceptronParams, ASDCAParams, KernelSDCAParams, KernelPegasosParams


@pytest.mark.parametrize("cls", CLASSES)
def test_a_default_passes_its_check(cls):
    """That is why a fit checks what was set only."""
    for name, default, check in _fields_of(cls):
        if check is not None:
            assert (name, check(default)) == (name, default)


@pytest.mark.parametrize("cls", CLASSES)
def test_words_that_are_choices_are_fields(cls):
    assert {*cls.CHOICES, *cls.OWN_CHECKS} <= {field.name for field in fields(cls)}


def test_a_checked_copy_has_the_fields_alone_converted():
    model = SDCAClassifier("log", alpha=1, max_iter=7)
    model.coef_ = "fitted"
    params = model._params.of(model, tol=2)
    assert type(params) is SDCAParams
    assert vars(params) == vars(SDCAParams("log", alpha=1.0, max_iter=7, tol=2.0))
    assert type(params.alpha) is type(params.tol) is float
    assert (model.alpha, model.tol) == (1, 1e-3)
    with pytest.raises(ValueError, match="tol must be a positive number; got 0"):
        model._params.of(model, tol=0)
