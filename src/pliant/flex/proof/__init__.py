"""Proof: bounds that no motion can pass, and a motion that is free of overlap up to the lower of them."""
