"""What makes a blueprint, or another input, unusable: the faults that stages raise, a module for each subject."""
