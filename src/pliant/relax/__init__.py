"""Compound nonlinear mechanisms in the plane and in space, by relaxation."""
