"""A callback of scikit-learn's that writes down what it is told."""

import threading


class Recorder:
    """Writes down every hook, and stops where asked to."""

    def __init__(self, stop=lambda context: False):
        self.stop, self.hooks, self.inside = stop, [], threading.Lock()

    def setup(self, estimator, context):
        self.hooks.append(("setup", context, None, None))

    def teardown(self, estimator, context):
        self.hooks.append(("teardown", context, None, None))

    def on_fit_task_begin(self, estimator, context):
        assert self.inside.acquire(blocking=False), "two hooks at once"
        self.hooks.append(("begin", context, None, None))
        self.inside.release()

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        assert self.inside.acquire(blocking=False), "two hooks at once"
        self.hooks.append(("end", context, (X, y, metadata), fitted_estimator))
        self.inside.release()
        return self.stop(context)

    def begun(self):
        """The names of all tasks, in their order."""
        return [context.task_name for hook, context, *_ in self.hooks if hook == "begin"]

    def ended(self, name):
        """The ends of all tasks of a name: context, data, fitted estimator."""
        return [rest for hook, *rest in self.hooks if hook == "end" and rest[0].task_name.startswith(name)]
