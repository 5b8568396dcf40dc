"""From pose to pose: the linear program of a pose, its step, the ascent [Lensgraf2020 section V]."""
