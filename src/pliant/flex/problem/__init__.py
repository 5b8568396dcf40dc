"""What is asked of a pose: joints as rows, what is maximised, and the system of both [Lensgraf2020 eq. 11]."""
