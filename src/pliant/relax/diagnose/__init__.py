"""What an answer is worth: lengths, rank, stability, forces carried."""
