"""A fit as scikit-learn's callbacks (1.9 and later) see it; without them nothing happens."""

from functools import wraps
from threading import Lock

import numpy as np

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's: no `set_callbacks`."""

    def with_callbacks(method):
        """Call `method` and nothing else (as many frames as scikit-learn's, for warnings' sake)."""

        @wraps(method)
        def plain(*args, **kwargs):
            return method(*args, **kwargs)

        return plain


__all__ = ["CallbackSupportMixin", "Steps", "Tasks", "with_callbacks"]


class Steps:
    """The tasks of a fit that is a few steps in a row; without callbacks nothing.

    Where a step can say so, callbacks are told of the fitted estimator as if the fit ended there.

    Parameters
    ----------
    estimator : estimator with `CallbackSupportMixin`
    X, y : as in `fit`, validated
    sample_weight : as in `fit`
    n : int
        How many steps there are at most.
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
        """End the step; True if a callback asks to stop.

        `fitted` gives the attributes that make the estimator a fitted one.
        """
        return self.root is not None and self.step.call_on_fit_task_end(
            **self.data, reconstruction_attributes=fitted
        )

    def watch(self, name, run, rounds, fitted):
        """What the `rounds` of a kernel machine's `run` yield, each a step; a callback may end them."""
        while run.left and not self.stopped:
            self.begin(name)
            yield next(rounds)
            self.stopped = bool(self.end(fitted) and run.left)

    def finish(self):
        """The fit is done and its attributes are set."""
        if self.root is not None:
            self.root.call_on_fit_task_end(**self.data, reconstruction_attributes={})


class Tasks(Steps):
    """The tasks of one fit: the fit, its classes where there are more than two, and their epochs.

    A class's task has for its target values whether a row is of that class, and for its fitted estimator
    the classifier of this class against the rest. Hooks are called one at a time, whatever the number of
    threads. One that returns True at the end of an epoch stops that class.

    Parameters
    ----------
    estimator, X, y, sample_weight : as in `Steps`
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
        """The tasks of a fit, or None if its estimator has no callbacks."""
        return cls(estimator, *args) if getattr(estimator, "_skl_callbacks", None) else None

    def watch(self, k, run, epochs):
        """The epochs of the k-th run, with the hooks called around each."""
        task, data = self.children[k], self.data
        if task is not self.root:
            if data["y"] is not None:  # rows that are placed on a cluster have their labels there
                data = {**data, "y": data["y"] == self.labels[k]}
            self._begin(task, data)
        yield from self._epochs(k, run, epochs, data)
        if task is not self.root:
            self._end(task, data, run)

    def _epochs(self, k, run, epochs, data):
        over = False
        while not over:
            step = self.children[k].subcontext("epoch")
            self._begin(step, data)
            epoch = next(epochs, None)
            if epoch is None:
                self._end(step, data, run)
                return
            over = run.is_over
            if self._end(step, data, run) and not over:
                self.stopped.add(k)
                over = True
                epoch = run.stop()
            yield epoch

    def _begin(self, task, data):
        with self.lock:
            task.call_on_fit_task_begin(**data)

    def _end(self, task, data, run):
        def fitted():
            dtype = self.data["X"].dtype
            attributes = {
                "coef_": run.point.w[np.newaxis].astype(dtype),
                "intercept_": np.array([run.point.intercept], dtype),
            }
            if len(self.labels) > 1:
                attributes["classes_"] = np.array([False, True])
            return attributes

        with self.lock:
            return task.call_on_fit_task_end(**data, reconstruction_attributes=fitted)
