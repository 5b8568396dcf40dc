"""Positions, rates, mobility and limits along the motors' path ([Bacher2015Supplement] section 1)."""
