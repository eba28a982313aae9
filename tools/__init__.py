"""Scripts for those who change fabricgen."""
