"""Media and structured cabling that a blueprint allows or asks for."""
