"""Numbers that decide: exact algebraic ones and floats, polynomials, roots ([DonaldPai1993] sec. 8.2)."""
