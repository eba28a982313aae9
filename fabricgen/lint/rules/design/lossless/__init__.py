"""Rules on designs: classes without loss, PFC, ECN, headroom and the NICs that they are for."""
