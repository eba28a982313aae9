"""Networks in the forms that simulators of training read."""
