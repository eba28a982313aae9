"""Which designs there are for so many accelerators, what each costs, and which no other beats."""
