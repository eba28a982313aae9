"""How a configuration of Junos is read, a subject each."""
