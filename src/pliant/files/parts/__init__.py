"""Parts for cutting and printing: out of a model, onto a sheet, into a file."""
