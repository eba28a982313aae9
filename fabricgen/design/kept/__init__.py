"""What is racked stays: what a lock keeps of a design, and what it gives free."""
