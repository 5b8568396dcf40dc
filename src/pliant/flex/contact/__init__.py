"""Contacts of a pose: neighbours, nearest edges, rows, gaps; overlap and sweeps [Lensgraf2020 eq. 12]."""
