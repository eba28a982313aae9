"""Makes the model of a switch from its view: writers print the model, and what readers read is compared with it."""
