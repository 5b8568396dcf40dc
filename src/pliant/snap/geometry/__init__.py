"""Outlines, their union, and the curve of each contact in the slice ([DonaldPai1993] eqs 3, 4, 23)."""
