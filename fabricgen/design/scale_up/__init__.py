"""Scale-up domains: how many, what they hold and where they lie."""
