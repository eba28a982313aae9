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
    Bonds are over two SONiC switches, and a VRF with hosts there, a tenant or a DHCP relay needs an address of each of
    the two in its VLAN. Or a tier states `pair: evpn` without what that takes.

    The two have one address and one MAC there (MCLAG HLD, 2.1.9), which is the gateway. So no session runs between them
    in a VRF: when one loses its links up, what hosts send to it in that VRF is lost. In the default VRF the session is
    in VLAN 4094, where each has its own address. A VRF is fine where the fabric has one tier alone: then there are no
    links up to lose. And the replies of a DHCP server go to an address that both have, which the wrong one drops.

    EVPN multihoming is over `routing.overlay: evpn` and a tier above, without peer links.
    """,
    bad="""
    fabrics:
      storage:
        protocol: ethernet
        bond: node
        nos: sonic
        dhcp: {servers: 10.99.0.9}  # <-
        tiers: {leaf: {switch: sn5600, count: 2, spread: stripe, peer: 2 x 400G, pair: mclag}}
    """,
    good="""
    fabrics:
      storage:
        protocol: ethernet
        bond: node
        nos: sonic
        tiers: {leaf: {switch: sn5600, count: 2, spread: stripe, peer: 2 x 400G, pair: mclag}}
    """,
)
