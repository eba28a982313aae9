"""What switches of one shape have in common, so that their configuration is rendered once."""
