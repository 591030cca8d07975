"""The study of the digits: its draws, and what it promises of the document's."""

import numpy as np
import pytest

from fastsvm_apps.studies.documents import digits as study

pytestmark = pytest.mark.blas


def test_a_draw_has_as_many_of_each_and_none_twice():
    digits = study.read_digits(None)
    here, there = study.draw(digits, seed=1, run=2)
    assert len({*here, *there}) == len(here) + len(there) == 2 * (digits.n_train + digits.n_test)
    for rows in here, there:
        assert (digits.y[rows] == 5).sum() == (digits.y[rows] == 6).sum()
    other, _ = study.draw(digits, seed=1, run=3)
    assert {*other} != {*here}


def test_the_digits_of_the_document(shared):
    digits = study.read_digits(str(shared))
    assert digits.original
    found = study.fit_draws(digits, 20, 0, lambda: None)
    assert 0.025 < np.mean(study.share_wrong(found["test"][0])) <= 0.038
