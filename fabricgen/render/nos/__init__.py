"""Network operating systems, one module each; names with an underscore are their parts."""
