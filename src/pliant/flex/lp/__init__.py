"""Linear programs of flex, and least squares over their rows: data, solvers, factors."""
