"""The tasks of a fit for scikit-learn's callbacks (1.9 and later); nothing happens without callbacks."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..fitting.one_vs_rest import Fit

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """A stand-in for scikit-learn's mixin, without `set_callbacks`."""

    _with_callbacks = None


def with_callbacks(fit: Fit) -> Fit:
    """Return scikit-learn's wrapper of a fit, or one that only calls it."""
    return fit if _with_callbacks is None else _with_callbacks(fit)


class StepCallbacks:
    """The tasks of a fit that consists of steps in a row; it does nothing without callbacks.

    After some steps, callbacks receive the fitted estimator as if the fit ended there.

    Parameters
    ----------
    estimator : estimator with `CallbackSupportMixin`
    X, y : as in `fit`, validated
    sample_weight : as in `fit`
    n : int
        The largest number of steps.
    sequential : bool, default=True

    Attributes
    ----------
    root : the task of the fit; None without callbacks
    stopped : bool, whether a callback has ended `watch` early
    """

    def __init__(self, estimator, X, y, sample_weight, n, sequential=True):
        self.root, self.stopped = None, False
        self.data = {"estimator": estimator, "X": X, "y": y}
        if sample_weight is not None:
            self.data["metadata"] = {"sample_weight": sample_weight}
        if getattr(estimator, "_skl_callbacks", None):
            self.root = estimator._init_callback_context(max_subtasks=n, sequential_subtasks=sequential)
            self.root.call_on_fit_task_begin(**self.data)

    def begin(self, name):
        """Begin a step."""
        if self.root is not None:
            self.step = self.root.subcontext(name)
            self.step.call_on_fit_task_begin(**self.data)

    def end(self, fitted=None):
        """End the step; return True if a callback asks to stop.

        `fitted` returns the attributes of the fitted estimator.
        """
        return self.root is not None and self.step.call_on_fit_task_end(
            **self.data, reconstruction_attributes=fitted
        )

    def watch(self, name, run, rounds, fitted):
        """Yield from the `rounds` of a kernel machine's `run`, each a step; a callback may end them."""
        while run.left and not self.stopped:
            self.begin(name)
            yield next(rounds)
            self.stopped = bool(self.end(fitted) and run.left)

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
    labels : the label of each run
    max_iter : int

    Attributes
    ----------
    stopped : set of the numbers of the runs that a callback has stopped
    """

    def __init__(self, estimator, X, y, sample_weight, labels, max_iter):
        several = len(labels) > 1
        super().__init__(estimator, X, y, sample_weight, len(labels) if several else max_iter, not several)
        self.labels, self.lock, self.stopped = labels, Lock(), set()
        self.children = [self.root]
        if several:
            self.children = [
                self.root.subcontext(f"class {label}", task_id=k, max_subtasks=max_iter)
                for k, label in enumerate(labels)
            ]

    @classmethod
    def of(cls, estimator, *args):
        """Return the tasks of a fit, or None if its estimator has no callbacks."""
        return cls(estimator, *args) if getattr(estimator, "_skl_callbacks", None) else None

    def watch(self, k, run, epochs):
        """Yield the epochs of the k-th run, and call the hooks around each."""
        task, data = self.children[k], self.data
        if task is not self.root:
            if data["y"] is not None:  # rows that are placed on a cluster have their labels there
                data = {**data, "y": data["y"] == self.labels[k]}
            self._begin_task(task, data)
        yield from self._watched_epochs(k, run, epochs, data)
        if task is not self.root:
            self._end_task(task, data, run)

    def _watched_epochs(self, k, run, epochs, data):
        over = False
        while not over:
            step = self.children[k].subcontext("epoch")
            self._begin_task(step, data)
            epoch = next(epochs, None)
            if epoch is None:
                self._end_task(step, data, run)
                return
            over = run.is_over
            if self._end_task(step, data, run) and not over:
                self.stopped.add(k)
                over = True
                epoch = run.stop()
            yield epoch

    def _begin_task(self, task, data):
        with self.lock:
            task.call_on_fit_task_begin(**data)

    def _end_task(self, task, data, run):
        def fitted():
            dtype = self.data["X"].dtype
            attributes = {
                "coef_": np.atleast_2d(run.point.w).astype(dtype),
                "intercept_": np.atleast_1d(run.point.intercept).astype(dtype),
            }
            if len(self.labels) > 1:
                attributes["classes_"] = np.array([False, True])
            return attributes

        with self.lock:
            return task.call_on_fit_task_end(**data, reconstruction_attributes=fitted)
