"""As built: single cables that differ from the plan, and the redlined sheets that say so."""
