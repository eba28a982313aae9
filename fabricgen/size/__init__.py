"""Which designs there are for a number of accelerators, what each costs, and which are beaten by no other."""
