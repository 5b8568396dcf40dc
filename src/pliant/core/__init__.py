"""What every method shares and no method owns."""
