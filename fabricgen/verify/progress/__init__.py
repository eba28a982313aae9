"""Which part of the plan is verified, and the progress over several runs."""
