"""Kernel machines: values of kernels, their rows, and the solvers on them."""
