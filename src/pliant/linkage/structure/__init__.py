"""Joints by number, the equations that hold them, the order of rules ([Bacher2015Supplement] section 1)."""
