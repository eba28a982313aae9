"""The pieces of the configurations of Junos, a subject each."""
