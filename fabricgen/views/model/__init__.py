"""What a switch is told, made of its view: the model that writers print and that what readers read is held to."""
