"""Rules on the wiring plan: loaded where a cluster is judged."""
