"""Parts of a build that are lists and pictures of our own: one module a part, found by its name."""
