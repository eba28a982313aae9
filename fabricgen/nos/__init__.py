"""Network operating systems (NOS), one folder each; nothing else lists them."""
