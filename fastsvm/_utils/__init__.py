"""Private helpers of the whole repository: atomic files, interrupts, threads, BLAS, lazy imports."""
