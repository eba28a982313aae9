"""Changes that would make a design fit, each tried before it is named."""
