"""A page to start from: what a person answers about a cluster becomes a blueprint that lints clean."""
