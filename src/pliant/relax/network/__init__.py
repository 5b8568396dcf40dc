"""A mechanism as arrays: nodes, elements and their laws, what couplings measure [Lipson2006 section 2]."""
