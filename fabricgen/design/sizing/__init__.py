"""Sizes of tiers: switches, uplinks and ports from radix, breakout and oversubscription."""
