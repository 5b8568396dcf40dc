"""The fastener before it moves: what overlaps, what is refused, what to remark ([DonaldPai1993] sec. 2)."""
