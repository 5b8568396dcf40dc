"""The motion from event to event: one pawl along one leg, all of them along the plan ([DonaldPai1993] sec. 9)."""
