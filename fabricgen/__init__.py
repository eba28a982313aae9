"""fabricgen: compile a blueprint of an AI-cluster fabric into wiring, addresses, configs and a bill of materials."""

__version__ = "0.1.0"
