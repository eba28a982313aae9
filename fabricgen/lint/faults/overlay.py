"""What an overlay needs of a fabric."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG071 = Fault(
    id="FG071",
    name="NoUnderlayForEvpn",
    title="an overlay is asked for over an underlay that cannot carry it",
    text="""
    `routing.overlay: evpn` holds for a fabric without an eBGP underlay, without IPv4, or of InfiniBand.

    EVPN routes travel in BGP sessions between the loopbacks of switches, which the underlay has to make reachable, and
    VXLAN tunnels end at these loopbacks: at IPv4 addresses, which is the one form that all NOSes here document. State
    an ebgp underlay and `ip: v4` or `dual`, or leave VRFs on sub-interfaces of the links.
    """,
    bad="""
    fabrics:
      compute:
        protocol: roce
        routing: {underlay: static, overlay: evpn}  # <-
        tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600}}
    """,
    good="""
    fabrics:
      compute:
        protocol: roce
        routing: {underlay: ebgp-unnumbered, overlay: evpn}
        tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600}}
    """,
)
