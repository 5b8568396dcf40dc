"""What a run means: transmission, curves, centres, tolerances, forces, layers."""
