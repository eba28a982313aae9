"""What a lock keeps: what a design remembers, what is released, and what is adopted from a running fabric."""
