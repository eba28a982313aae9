"""What a change does: semantic comparison of two compiled clusters."""
