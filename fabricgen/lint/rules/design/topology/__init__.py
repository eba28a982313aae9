"""Rules on designs: what joins what, planes and rails kept apart, and devices that nothing reaches."""
