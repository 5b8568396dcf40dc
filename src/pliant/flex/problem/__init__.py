"""What is asked of a pose: joints as rows, the objective, the system of both [Lensgraf2020 eq. 11]."""
