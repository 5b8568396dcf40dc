"""Separation: whether an assembly comes apart, in which order, and by which motions."""
