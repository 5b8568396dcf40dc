"""What kind of motion diode it is, and at which directions that changes ([DonaldPai1993] sec. 4.4)."""
