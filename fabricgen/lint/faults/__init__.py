"""What makes a blueprint, or another input, unusable: the codes that stages raise, one file each."""
