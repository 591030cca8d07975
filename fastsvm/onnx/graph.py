"""The nodes of an ONNX graph, as functions of names and arrays."""

import numpy as np
from onnx import TensorProto, numpy_helper
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

TYPES = {np.float32: TensorProto.FLOAT, np.float64: TensorProto.DOUBLE}
ROWS = np.array([1])  # the axis along which a row lies


class Graph:
    """The graph that a converter adds nodes to; a call adds one, and returns the name of its output.

    Parameters
    ----------
    scope, operator, container
        As skl2onnx passes them to a converter.
    """

    def __init__(self, scope, operator, container):
        self.scope, self.operator, self.container = scope, operator, container
        double = isinstance(operator.inputs[0].type, DoubleTensorType)
        self.dtype = np.float64 if double else np.float32  # of the outputs

    def __call__(self, op, *inputs, output=None, domain="", **attributes):
        """Add a node.

        Parameters
        ----------
        op : str
            The operator's type.
        *inputs : str or ndarray
            Names, or constants.
        output : int, default=None
            The number of the operator's output that the node computes; None: a new output.
        domain : str, default=""
        **attributes : of the node

        Returns
        -------
        str
        """
        if output is None:
            name = self.scope.get_unique_variable_name(op.lower())
        else:
            name = self.operator.outputs[output].full_name
        names = [each if isinstance(each, str) else self._constant(each) for each in inputs]
        self.container.add_node(op, names, name, op_domain=domain, **attributes)
        return name

    def _constant(self, values):
        name = self.scope.get_unique_variable_name("constant")
        if values.dtype.kind in "OU":
            texts = [each.encode() for each in values]
            self.container.add_initializer(name, TensorProto.STRING, values.shape, texts)
        else:
            values = np.ascontiguousarray(values)
            self.container.add_initializer(name, None, None, numpy_helper.from_array(values))
        return name

    def rows(self, dtype=None):
        """Return the operator's only input as floats, of its own type or of another."""
        [rows] = self.operator.inputs
        kept = isinstance(rows.type, FloatTensorType | DoubleTensorType) and dtype in (None, self.dtype)
        return rows.full_name if kept else self("Cast", rows.full_name, to=TYPES[dtype or self.dtype])

    def cast(self, values):
        """Return numbers cast to the type of the outputs."""
        return self("Cast", values, to=TYPES[self.dtype])

    def row_sums(self, values):
        """Return the sum of each row, in a column."""
        return self("ReduceSum", values, ROWS, keepdims=1)


def float_type(operator, n_columns):
    """Return the type of an output of floats with `n_columns` columns, double if the input is double."""
    rows = operator.inputs[0]
    kind = DoubleTensorType if isinstance(rows.type, DoubleTensorType) else FloatTensorType
    return kind([rows.get_first_dimension(), n_columns])
