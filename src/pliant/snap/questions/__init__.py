"""What else is asked of a fastener: uncertainty, stability, design, knife's edges ([DonaldPai1993] sec. 10, App. B)."""
