"""The sums over pixels, each against its slow twin, and with input that tempts it out of its arrays."""

import numpy as np
import pytest

import reference
from fastsvm_apps.cells.finding import _pixels

HEIGHT, WIDTH, N_REGIONS = 23, 31, 4
AXES = ((-0.4, 1.0, 5), (0.0, 0.8, 2), (-0.1, 1.1, 4))
NOT_NUMBERS = (np.nan, np.inf, -np.inf, 3e38, -3e38, np.float32(1e-45))


@pytest.fixture(params=["numbers", "outliers"])
def planes(request):
    """Values of which many lie outside the axes, and some are no numbers."""
    planes = np.random.default_rng(0).normal(0.3, 0.6, (HEIGHT, WIDTH, 3)).astype(np.float32)
    if request.param == "outliers":
        spots = np.random.default_rng(4).choice(planes.size, 60, replace=False)
        planes.flat[spots] = np.resize(np.float32(NOT_NUMBERS), 60)
    return planes


@pytest.fixture
def regions():
    """Regions 0 to 4, two more that are beyond the number asked for, and none of number 3."""
    numbers = np.array([0, 1, 2, 4, 5, 255], np.uint8)
    return numbers[np.random.default_rng(1).integers(0, 6, (HEIGHT, WIDTH))]


@pytest.fixture
def counted(regions):
    """How many pixels each region has."""
    return np.array([np.count_nonzero(regions == k) for k in range(1, N_REGIONS + 1)])


@pytest.fixture
def table():
    return np.random.default_rng(2).random([axis[2] for axis in AXES], np.float32)


# Against the twins


@pytest.mark.parametrize("k", [1, 2, 3])
def test_joint_histograms(planes, regions, counted, k):
    counts = _pixels.joint_histograms(planes[..., :k], regions, N_REGIONS, AXES[:k])
    expected = reference.joint_histograms(planes[..., :k], regions, N_REGIONS, AXES[:k])
    assert counts.dtype == np.float64
    np.testing.assert_allclose(counts, expected, rtol=0, atol=1e-5)  # a sum of float32 weights
    np.testing.assert_allclose(counts.reshape(N_REGIONS, -1).sum(axis=1), counted, rtol=0, atol=1e-5)
    assert not counts[2].any()


@pytest.mark.parametrize(
    "view",
    [
        lambda planes: planes[..., ::2],
        lambda planes: planes[..., ::-1][..., :2],
        lambda planes: np.asfortranarray(planes[..., 1:]),
        lambda planes: np.broadcast_to(planes[..., :1], (HEIGHT, WIDTH, 2)),
        lambda planes: np.repeat(planes[..., :2], 2, axis=0)[::2],
    ],
)
def test_joint_histograms_of_planes_that_are_not_contiguous(planes, regions, view):
    axes = AXES[:2]
    counts = _pixels.joint_histograms(view(planes), regions, N_REGIONS, axes)
    packed = _pixels.joint_histograms(np.ascontiguousarray(view(planes)), regions, N_REGIONS, axes)
    np.testing.assert_array_equal(counts, packed)
    assert counts.any()


@pytest.mark.parametrize("k", [1, 3, 5])
def test_moments(planes, regions, k):
    values = np.nan_to_num(np.tile(planes, 2)[..., :k], nan=0, posinf=9, neginf=-9).clip(-9, 9)
    sums = _pixels.moments(values, regions, N_REGIONS)
    of = [values[regions == number].astype(float) for number in range(1, N_REGIONS + 1)]
    expected = [[(each**power).sum(axis=0) for each in of] for power in (1, 2, 3)]
    np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-9)
    assert _pixels.moments(planes, regions, N_REGIONS).shape == (3, N_REGIONS, 3)


def test_add_looked_up(planes, table):
    base = np.random.default_rng(5).normal(size=(HEIGHT, WIDTH)).astype(np.float32)
    looked_up = _pixels.add_looked_up(base, planes, table, AXES)
    assert looked_up.dtype == np.float32
    np.testing.assert_allclose(
        looked_up, reference.add_looked_up(base, planes, table, AXES), rtol=0, atol=3e-6
    )
    assert table.min() - 1e-6 <= (looked_up - base).min()
    assert (looked_up - base).max() <= table.max() + 1e-6


# Input that tempts


@pytest.mark.parametrize("low", [-np.inf, -3e38, 0.0])
@pytest.mark.parametrize("high", [1e-30, 3e38, np.inf])
def test_any_axis_keeps_every_pixel(planes, regions, counted, low, high):
    counts = _pixels.joint_histograms(planes[..., :1], regions, N_REGIONS, [(low, high, 65536)])
    np.testing.assert_allclose(counts.sum(axis=1), counted, atol=1e-5)


@pytest.mark.parametrize("shape", [(0, 0), (0, 7), (7, 0), (1, 1), (1, 9), (2, 2)])
@pytest.mark.parametrize("n_regions", [0, 1, 3])
def test_small_arrays(table, shape, n_regions):
    planes, base = np.ones((*shape, 3), np.float32), np.ones(shape, np.float32)
    regions = np.ones(shape, np.uint8)
    counts = _pixels.joint_histograms(planes, regions, n_regions, AXES)
    assert counts.shape == (n_regions, *table.shape)
    assert counts.sum() == pytest.approx(regions.size * (n_regions > 0))
    assert _pixels.add_looked_up(base, planes, table, AXES).shape == shape
    assert _pixels.moments(planes, regions, n_regions).sum() == 9 * regions.size * (n_regions > 0)


P, B = np.zeros((6, 8, 3), np.float32), np.zeros((6, 8), np.float32)
R, T = np.zeros((6, 8), np.uint8), np.zeros((5, 2, 4), np.float32)
D, M = np.zeros((3, 256), np.float32), np.eye(3, dtype=np.float32)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        # Shapes
        ("joint_histograms", (P, R[:5].copy(), 2, AXES)),
        ("joint_histograms", (P[..., :2], R, 2, AXES)),
        ("joint_histograms", (np.zeros((6, 8, 4), np.float32), R, 2, (*AXES, AXES[0]))),
        ("joint_histograms", (P[..., 0], R, 2, AXES[:1])),
        ("add_looked_up", (B[:5].copy(), P, T, AXES)),
        ("add_looked_up", (B, P[..., :2].copy(), T, AXES)),
        ("add_looked_up", (B, P, T[:4].copy(), AXES)),
        ("add_looked_up", (B, P, T, (*AXES, AXES[0]))),
        # Axes
        ("joint_histograms", (P[..., :1], R, 2, [(0, 1, 1)])),
        ("joint_histograms", (P[..., :1], R, 2, [(0, 1, 0)])),
        ("joint_histograms", (P[..., :1], R, 2, [(0, 1, 2**24 + 4)])),  # a float has no 2^24 + 3
        ("joint_histograms", (P[..., :1], R, 2, [(1, 1, 4)])),
        ("joint_histograms", (P[..., :1], R, 2, [(0, np.nan, 4)])),
        ("add_looked_up", (B, P, np.zeros((5, 1, 4), np.float32), [AXES[0], (0, 1, 1), AXES[2]])),
        ("add_looked_up", (B, P, T, [AXES[0], (1, 0, 2), AXES[2]])),
        # Types and strides
        ("joint_histograms", (P.astype(np.float64), R, 2, AXES)),
        ("joint_histograms", (P, R.astype(np.int32), 2, AXES)),
        ("joint_histograms", (P, R.T.copy().T, 2, AXES)),
        ("add_looked_up", (B, P, T.T.copy().T, AXES)),
        ("densities", (np.zeros((6, 8, 4), np.uint8), D, M)),
        ("densities", (np.zeros((6, 8, 3), np.uint8), D[:, :255].copy(), M)),
        ("densities", (np.zeros((6, 8, 3), np.uint8), D, M[:2, :2].copy())),
        ("joint_histograms", (P, R, -1, AXES)),
        ("moments", (P, R[:5].copy(), 2)),
        ("moments", (P, R.astype(np.int32), 2)),
        ("moments", (P, R, -1)),
    ],
)
def test_what_does_not_fit_is_refused(function, arguments):
    with pytest.raises(ValueError, match=r"fit|axis|contiguous|mismatch|dimensions|negative"):
        getattr(_pixels, function)(*arguments)


def test_what_may_not_be_written_to_is_read(planes, regions, table):
    base = np.zeros((HEIGHT, WIDTH), np.float32)
    for array in (planes, regions, table, base):
        array.setflags(write=False)
    assert _pixels.joint_histograms(planes, regions, N_REGIONS, AXES).any()
    assert _pixels.add_looked_up(base, planes, table, AXES).any()


def test_densities_are_mixes_of_what_the_table_says():
    rng = np.random.RandomState(3)
    pixels = rng.randint(0, 256, (6, 8, 3)).astype(np.uint8)
    table, mixes = rng.rand(3, 256).astype(np.float32), rng.randn(4, 3).astype(np.float32)
    looked_up = np.stack([table[channel][pixels[..., channel]] for channel in range(3)], axis=-1)
    for part in (np.s_[:], np.s_[::2, ::-1]):
        found = _pixels.densities(pixels[part], table, mixes)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, looked_up[part] @ mixes.T, atol=1e-6)
