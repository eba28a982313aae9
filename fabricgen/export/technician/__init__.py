"""What a technician works from: where things stand, what is pulled together and when, and the sheets that say so."""
