"""What else is asked: uncertainty, stability, design, knife's edges ([DonaldPai1993] sec. 10, App. B)."""
