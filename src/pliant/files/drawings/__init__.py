"""Drawings to parts: SVG and DXF are read as strokes, joined to loops, and cut into faces."""
