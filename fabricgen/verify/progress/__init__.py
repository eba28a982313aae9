"""What part of the plan is verified, and how far that is, over the runs."""
