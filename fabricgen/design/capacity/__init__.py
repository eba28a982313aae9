"""What a design carries: counts, oversubscription, bisection, and what is left after a loss."""
