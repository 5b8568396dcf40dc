"""Linkages of other programs: PMKS and PMKS+, pylinkage, Pyslvs."""
