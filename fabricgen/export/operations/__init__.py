"""What the systems that run a cluster are told of its devices."""
