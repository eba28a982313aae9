"""The model of one switch: what its configuration says, in terms that belong to no network operating system (NOS)."""
