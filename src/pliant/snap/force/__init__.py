"""Forces along a motion, their peaks, and the friction that locks ([DonaldPai1993] Appendix A)."""
