"""Rules on designs: racks, power, halls, media and cables."""
