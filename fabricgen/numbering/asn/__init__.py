"""AS numbers: who shares one, where they come from, and whether sessions work with them."""
