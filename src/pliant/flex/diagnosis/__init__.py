"""What is wrong as drawn, what is without bound, and which forces hold [Lensgraf2020 sections V-A, VI]."""
