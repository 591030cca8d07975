"""The tasks of a fit for scikit-learn's callbacks (1.9 and later); nothing happens without callbacks."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from ..fitting.labels import targets_of
from ..solvers.run import Watcher

if TYPE_CHECKING:
    from ..fitting.fit import Method

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """A stand-in for scikit-learn's mixin, without `set_callbacks`."""

    _with_callbacks = None


def with_callbacks(fit: Method) -> Method:
    """Return scikit-learn's wrapper of a fit, or one that only calls it."""
    return fit if _with_callbacks is None else _with_callbacks(fit)


class StepCallbacks(Watcher):
    """The tasks of a fit that consists of steps in a row; without callbacks, its methods do nothing.

    It watches a kernel machine's solver, whose rounds are the steps.
    After some steps, callbacks receive the fitted estimator as if the fit ended there.

    Parameters
    ----------
    estimator : estimator with `CallbackSupportMixin`
    X, y : as in `fit`, validated
    sample_weight : as in `fit`

    Attributes
    ----------
    root : the task of the fit; None without callbacks, and before `start`
    stopped : bool, whether a callback has ended the fit early
    fitted : callable, default=None
        It returns the attributes of the fitted estimator, as it is at the end of a step.
    """

    fitted = None

    def __init__(self, estimator, X, y, sample_weight):
        self.root, self.stopped = None, False
        self.data = {"estimator": estimator, "X": X, "y": y}
        if sample_weight is not None:
            self.data["metadata"] = {"sample_weight": sample_weight}

    @classmethod
    def of(cls, estimator, *args):
        """Return the tasks of a fit, or None if its estimator has no callbacks."""
        return cls(estimator, *args) if getattr(estimator, "_skl_callbacks", None) else None

    def start(self, n, sequential=True):
        """Begin the fit, of at most n steps."""
        estimator = self.data["estimator"]
        if getattr(estimator, "_skl_callbacks", None):
            self.root = estimator._init_callback_context(max_subtasks=n, sequential_subtasks=sequential)
            self.root.call_on_fit_task_begin(**self.data)

    def begin_step(self, name):
        """Begin a step."""
        if self.root is not None:
            self.step = self.root.subcontext(name)
            self.step.call_on_fit_task_begin(**self.data)

    def end_step(self):
        """End the step; return True if a callback asks to stop."""
        return self.root is not None and self.step.call_on_fit_task_end(
            **self.data, reconstruction_attributes=self.fitted
        )

    def before(self, solver):  # noqa: D102 (inherited)
        self.begin_step("epoch")

    def after(self, solver):  # noqa: D102 (inherited)
        stop = self.end_step()
        self.stopped = bool(stop and not solver.is_over)
        return stop

    def finish(self):
        """End the fit, whose attributes are set."""
        if self.root is not None:
            self.root.call_on_fit_task_end(**self.data, reconstruction_attributes={})


class TaskCallbacks(StepCallbacks):
    """The tasks of one fit: the fit, its classes if there are more than two, and their epochs.

    The task of a class has True and False as targets, and the classifier of this class against the rest as
    its fitted estimator. Hooks are called one at a time, whatever the number of threads. A hook that returns
    True at the end of an epoch stops the class.

    Parameters
    ----------
    estimator, X, y, sample_weight : as in `StepCallbacks`
    max_iter : int
    name : str, default="epoch"
        Name of the task of an epoch.

    Attributes
    ----------
    stopped : set of the numbers of the runs that a callback has stopped
    """

    def __init__(self, estimator, X, y, sample_weight, max_iter, name="epoch"):
        super().__init__(estimator, X, y, sample_weight)
        self.max_iter, self.name, self.lock, self.stopped = max_iter, name, Lock(), set()

    def start(self, labels, classes):
        """Begin the fit.

        Parameters
        ----------
        labels : the label of each run
        classes : ndarray of shape (n_classes,)
        """
        several = len(labels) > 1
        super().start(len(labels) if several else self.max_iter, not several)
        y = self.data["y"]
        self.targets = None if y is None else targets_of(y, classes)
        self.classes = np.array([False, True]) if several else classes  # of the classifier of a run
        self.children = [self.root]
        if several:
            self.children = [
                self.root.subcontext(f"class {label}", task_id=k, max_subtasks=self.max_iter)
                for k, label in enumerate(labels)
            ]

    def watcher(self, k):
        """Return the Watcher that calls the hooks around the k-th run and its epochs."""
        return _TaskWatcher(self, k)

    def begin_task(self, task, data):
        """Call the hooks at the beginning of a task, one at a time."""
        with self.lock:
            task.call_on_fit_task_begin(**data)

    def end_task(self, task, data, run):
        """Call the hooks at the end of a task of this run; True if one asks to stop."""

        def fitted():
            dtype = self.data["X"].dtype
            return {
                "classes_": self.classes,
                "coef_": np.atleast_2d(run.point.w).astype(dtype),
                "intercept_": np.atleast_1d(run.point.intercept).astype(dtype),
            }

        with self.lock:
            return task.call_on_fit_task_end(**data, reconstruction_attributes=fitted)


class _TaskWatcher(Watcher):
    """The calls of the hooks for the k-th run of a fit."""

    def __init__(self, tasks, k):
        self.tasks, self.k = tasks, k
        self.task, self.data = tasks.children[k], tasks.data
        self.has_own_task = self.task is not tasks.root
        if self.has_own_task and self.data["y"] is not None:  # the labels of rows on a cluster stay there
            self.data = {**self.data, "y": tasks.targets.signs(k) > 0}

    def begin(self, solver):
        if self.has_own_task:
            self.tasks.begin_task(self.task, self.data)

    def before(self, solver):
        self.epoch = self.task.subcontext(self.tasks.name)
        self.tasks.begin_task(self.epoch, self.data)

    def after(self, solver):
        stop = self.tasks.end_task(self.epoch, self.data, solver)
        if stop and not solver.is_over:
            self.tasks.stopped.add(self.k)
        return stop

    def end(self, solver):
        if self.has_own_task:
            self.tasks.end_task(self.task, self.data, solver)
