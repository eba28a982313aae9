"""Configurations of switches read back into one neutral form: what they tell a switch to do, in words of no NOS."""
