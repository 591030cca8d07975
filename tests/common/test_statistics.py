"""Intervals of means."""

import numpy as np
import pytest
from scipy import stats

from fastsvm_apps.common.statistics import mean_interval, median_interval, shown


def test_the_interval_of_a_mean_is_students():
    values = np.random.default_rng(0).normal(size=7)
    expected = stats.t.interval(0.95, 6, values.mean(), stats.sem(values))
    np.testing.assert_allclose(mean_interval(list(values)), expected)
    with pytest.raises(ValueError, match="two values"):
        mean_interval([1.0])


def test_the_interval_of_a_median_ends_at_two_of_the_values():
    rng = np.random.default_rng(0)
    for n, low, high in ((6, 0, 5), (9, 1, 7), (12, 2, 9)):
        values = list(map(float, range(n)))
        rng.shuffle(values)
        assert median_interval(values) == (low, high)
        assert stats.binom.cdf(low, n, 0.5) <= 0.025 < stats.binom.cdf(low + 1, n, 0.5)
    assert median_interval([np.inf, 1, 2, 3, 4, np.inf]) == (1, np.inf)
    assert median_interval([1, 2, 3, 4, 5]) == (-np.inf, np.inf)


def test_scores_have_the_digits_that_their_interval_leaves():
    assert shown((0.8417, 0.9061), 0.8775, 0.8417) == ["0.877", "0.842"]
    assert shown((0.2, 0.9), 0.53125) == ["0.53"]
    assert shown((0.12, 0.1234), 0.12345) == shown((0.1, 0.1), 0.12345) == ["0.1235"]
    assert shown((0.0, 8.76), 1, 8.76, least=0) == ["1.0", "8.8"]
    assert shown((-0.01, 0.04), 0.015, sign="+") == ["+0.015"]
