"""One switch: what it is told to do, in words that belong to no NOS."""
