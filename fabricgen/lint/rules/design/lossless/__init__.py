"""Rules on designs: how fabrics for RoCE pause (PFC), mark (ECN) and buffer packets, and whether NICs suit that."""
