"""Bracing: where a beam across a structure would hold it best, and the structure with that beam."""
