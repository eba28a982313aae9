"""Blocks of data of the page: a module each, whose `block(source)` is what the scripts read by its name."""
