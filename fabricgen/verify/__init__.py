"""What the hall says of the plan: dumps of running devices, matched with the planned cables and explained."""
