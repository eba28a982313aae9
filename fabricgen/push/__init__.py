"""What is pushed to other people's systems: compared first, written only when asked for."""
