"""The small valid blueprint that every rule's examples are laid over."""

from __future__ import annotations

BASE = """\
fabricgen: 1
name: example
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, count: 4}
management: {ntp: 10.32.0.123, syslog: {servers: 10.32.0.124}}
"""

MARK = "# <-"
"""Ends the line of a bad example that its rule must flag."""
