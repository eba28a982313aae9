"""What would fit where a design does not, each change tried before it is named."""
