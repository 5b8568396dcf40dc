"""What turns a pawl back: a torsional spring, or a beam that bends ([DonaldPai1993] sec. 2)."""
