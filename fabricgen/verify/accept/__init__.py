"""What was found and is accepted: redlines and names that make the plan what the hall is."""
