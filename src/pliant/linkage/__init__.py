"""Linkage: closed-form motion of planar linkages, exact derivatives, and editing."""
