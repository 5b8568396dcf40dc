"""Contacts of a pose: neighbours, nearest edges, which become rows, distances; overlap and sweeps [Lensgraf2020 eq. 12]."""
