"""What a change does: a semantic comparison of two compiled clusters."""
