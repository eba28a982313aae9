"""Names, pools, ASNs and addresses from coordinates."""
