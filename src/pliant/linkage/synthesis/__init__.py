"""Linkages from what they shall do: trace a path, generate a function; and their cognates."""

from pliant.linkage.synthesis.cognates import cognates
from pliant.linkage.synthesis.freudenstein import generate, precision_points
from pliant.linkage.synthesis.paths import path

__all__ = ["cognates", "generate", "path", "precision_points"]
