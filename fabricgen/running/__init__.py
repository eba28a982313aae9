"""Reading of switch configurations: what the readers of all NOSes share, and differences between statements."""
