"""Faults of host ports that several fabrics share."""

from fabricgen.lint.fault import Fault

FG042 = Fault(
    id="FG042",
    name="TwoUntagged",
    title="two fabrics are untagged on one host port",
    text="""
    Several fabrics share the ports of nodes, and two of them send frames there without a tag.

    A frame without a tag is in one VLAN, that of the port (IEEE 802.1Q). The fabric whose ports they are is untagged
    there unless it says otherwise. Let it, or the others, be `host_ports: tagged`.
    """,
    bad="""
    fabrics:
      storage:
        protocol: ethernet
        tiers: {leaf: {switch: sn5600, count: 2, spread: stripe}}
      files:
        protocol: ethernet
        carried_by: storage
        host_ports: untagged  # <-
    """,
    good="""
    fabrics:
      storage:
        protocol: ethernet
        tiers: {leaf: {switch: sn5600, count: 2, spread: stripe}}
        host_ports: tagged
      files:
        protocol: ethernet
        carried_by: storage
        host_ports: untagged
    """,
)

FG043 = Fault(
    id="FG043",
    name="CannotSharePorts",
    title="a fabric cannot share host ports",
    text="""
    A fabric states `host_ports`, and its nodes cannot have a VLAN on the ports of another fabric.

    VLANs end at a gateway of the leaf, so that the nodes of both fabrics must be bridged: ports with a /31 of their
    own, or with a subnet for each rail, take no other VLAN. Management ports of switches have no VLANs. A fabric that
    shares ports attaches none, so `attach` has no meaning, and one that nobody shares ports with has nothing to tag.
    """,
    bad="""
    fabrics:
      storage:
        protocol: roce
        tiers: {leaf: {switch: sn5600, count: 2, spread: stripe}}
      files:
        protocol: ethernet
        carried_by: storage
        host_ports: tagged  # <-
    """,
    good="""
    fabrics:
      storage:
        protocol: ethernet
        tiers: {leaf: {switch: sn5600, count: 2, spread: stripe}}
      files:
        protocol: ethernet
        carried_by: storage
        host_ports: tagged
    """,
)
