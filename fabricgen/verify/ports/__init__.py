"""Ports of the plan by what dumps call them."""
