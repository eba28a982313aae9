"""Faults of bonds."""

from fabricgen.lint.fault import Fault

FG044 = Fault(
    id="FG044",
    name="CannotBond",
    title="ports of hosts cannot be bonded",
    text="""
    A fabric states `bond`, and the ports of its hosts cannot be one interface there.

    A bond is of two ports or more, all of a node in the fabric (`bond: node`) or those of each NIC (`bond: nic`): hosts
    with several NICs of one port each have none by the latter, and would have several addresses in one subnet. And
    these land on one switch, or on two of one tier that `peer` links make an MLAG pair. The VLANs of a pair are on both
    switches, with one gateway, so that no fabric on them has a subnet for each rail, or VLAN 4094, in which both talk.

    Its hosts are bridged: a routed host, or one with a subnet for each rail, has an address
    on each port and uses all of them without a bond. Fabrics that share the ports of another (`host_ports`) are on the
    bonds of that one. InfiniBand has no LACP.
    """,
    bad="""
    fabrics:
      storage:
        protocol: ethernet
        bond: node  # <-
        tiers: {leaf: {switch: sn5600, count: 2, spread: stripe}}
    """,
    good="""
    fabrics:
      storage:
        protocol: ethernet
        bond: node
        tiers: {leaf: {switch: sn5600, count: 2, spread: stripe, peer: 2 x 400G}}
        nos: cumulus
    """,
)

FG099 = Fault(
    id="FG099",
    name="CannotPair",
    title="a pair of switches cannot do for its bonds what is asked",
    text="""
    A tier states `pair: evpn` without what that takes.

    EVPN multihoming is over `routing.overlay: evpn` and a tier above, without peer links.
    """,
    bad="""
    fabrics:
      storage:
        protocol: ethernet
        bond: node
        nos: eos
        tiers: {leaf: {switch: 7060dx5-32, count: 2, spread: stripe, pair: evpn}}  # <-
    """,
    good="""
    fabrics:
      storage:
        protocol: ethernet
        bond: node
        nos: eos
        tiers: {leaf: {switch: 7060dx5-32, count: 2, spread: stripe, peer: 2 x 400G}}
    """,
)
