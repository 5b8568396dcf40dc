"""The motion from event to event: a pawl along a leg, all along the plan ([DonaldPai1993] sec. 9)."""
