"""Intervals of means."""

import numpy as np
import pytest
from scipy import stats

from fastsvm_apps.common.statistics import mean_interval


def test_the_interval_of_a_mean_is_students():
    values = np.random.default_rng(0).normal(size=7)
    expected = stats.t.interval(0.95, 6, values.mean(), stats.sem(values))
    np.testing.assert_allclose(mean_interval(list(values)), expected)
    with pytest.raises(ValueError, match="two values"):
        mean_interval([1.0])
