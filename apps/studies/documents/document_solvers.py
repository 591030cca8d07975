"""The document's algorithms, with the settings that it names; none has an intercept."""

from fastsvm.fitting import ASDCA, SDCA, Pegasos

# The four of figures 1 to 3.
VANILLA, PEGASOS, ASDCA_NAME, MINI_BATCH = "SDCA random", "Pegasos", "ASDCA", "mini-batch Pegasos"
FOUR = VANILLA, PEGASOS, ASDCA_NAME, MINI_BATCH
PERMUTATION, CYCLIC = "SDCA permutation", "SDCA cyclic"
ORDERS = VANILLA, PERMUTATION, CYCLIC
PROJECTED, MINI_BATCH_PROJECTED = "Pegasos projected", "mini-batch projected"
PROJECTIONS = {PEGASOS: PROJECTED, MINI_BATCH: MINI_BATCH_PROJECTED}
Models = dict[str, SDCA | Pegasos | ASDCA]


def eight_algorithms(alpha: float, batch: int, epochs: int, averaging: str = "last") -> Models:
    """Return the eight algorithms of table 2, by name and in its order; none has an intercept.

    Parameters
    ----------
    alpha : float
        The document's lambda.
    batch : int
        Rows in a batch of ASDCA and of mini-batch Pegasos, drawn anew for each step.
    epochs : int
    averaging : {"last", "tail", "random"}, default="last"
        What is returned: the last iterate, the mean of those of the last half, or one of these; ASDCA
        returns none at random, and is left out then.
    """
    common = {"alpha": alpha, "max_iter": epochs, "fit_intercept": False, "averaging": averaging}
    exact = {**common, "tol": None}
    orders = {"random": VANILLA, "permutation": PERMUTATION, "cyclic": CYCLIC}
    single, batches = {"order": "random", **common}, {"order": "batches", "batch_size": batch}
    asdca = {} if averaging == "random" else {ASDCA_NAME: ASDCA("smooth_hinge", **batches, **exact)}
    return {
        **{name: SDCA("hinge", order=order, solver="coordinate", **exact) for order, name in orders.items()},
        PEGASOS: Pegasos("hinge", **single),
        PROJECTED: Pegasos("hinge", project=True, **single),
        **asdca,
        MINI_BATCH: Pegasos("hinge", **batches, **common),
        MINI_BATCH_PROJECTED: Pegasos("hinge", project=True, **batches, **common),
    }
