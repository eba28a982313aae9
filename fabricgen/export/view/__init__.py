"""The cluster as one page to walk into: where everything is drawn, the data behind it, and the page itself."""
