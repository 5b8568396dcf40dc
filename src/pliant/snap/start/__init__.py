"""The fastener before it moves: what overlaps, what is refused, what is remarkable ([DonaldPai1993] sec. 2)."""
