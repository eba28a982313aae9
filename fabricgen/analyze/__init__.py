"""What a cluster will do: structure, collectives, load balance, failures and stragglers, from the wired graph."""
