"""What contradicts what in a mechanism's file, on raw data: `relax.faults` gathers it."""
