"""Hosts of a plan as a Kubernetes cluster has them: NICs and secondary networks of pods."""
