"""Extra devices: what they ask of a fabric, and which ports they take."""
