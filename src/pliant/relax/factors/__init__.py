"""Factors of sparse matrices: the order of elimination, Cholesky's factor, the smallest singular values."""
