"""Collectives: how long an algorithm takes on a job's accelerators, by latency and bandwidth."""
