"""AS numbers: plans, allocation, and the check that sessions are eBGP."""
