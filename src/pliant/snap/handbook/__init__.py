"""What the design guides of snap-fits know: materials, strain limits, the mating force."""
