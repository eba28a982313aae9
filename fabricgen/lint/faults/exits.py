"""Faults of ways out."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG055 = Fault(
    id="FG055",
    name="NoSuchExit",
    title="an exit leads nowhere, or cannot be as it is stated",
    text="""
    The links of an exit are those of an `extra` of its fabric (`to`), each of one exit. Its devices and their ports go
    by the names in links.csv. It is in the VRF of the fabric, or of the tenant whose `extra` they are: one that is kept
    apart in that fabric. Two exits of one name in one VRF are not on one tier.

    Exits run eBGP with every device, whose AS number is known, or route statically, and then have no key of sessions;
    they lead somewhere: to a default route, or to prefixes that they accept. The fabric runs BGP, in which what is
    outside comes down to its switches. Sessions to loopbacks leave from that of the switch, in the default VRF. A
    static exit is no backup, since a switch prefers its own static routes to those that it learns.
    """,
    bad="""
    fabrics:
      inband:
        protocol: ethernet
        tiers: {leaf: {switch: sn5600, per: [], count: 2}}
        extra: {wan: {device: external-router, count: 2}}
        exits: {internet: {to: wan}}  # <-
    """,
    good="""
    fabrics:
      inband:
        protocol: ethernet
        tiers: {leaf: {switch: sn5600, per: [], count: 2}}
        extra: {wan: {device: external-router, count: 2}}
        exits: {internet: {to: wan, asn: 64496}}
    """,
)

FG059 = Fault(
    id="FG059",
    name="ExitAddress",
    title="the addresses of an exit do not fit",
    text="""
    `own` is the switch's address with the length of the subnet, `far` the other one in it. In a /31, /30, /127 or /126
    there is only one other; in a larger subnet `far` is stated.

    Neither is the first or last address of the subnet, and both are of a family that the fabric has (`ip`).
    """,
    bad="""
    fabrics:
      inband:
        protocol: ethernet
        tiers: {leaf: {switch: sn5600, per: [], count: 2}}
        extra: {wan: {device: external-router, names: [isp]}}
        exits:
          internet:
            to: wan
            asn: 64496
            devices:
              isp:
                links:
                  port1: {own: 192.0.2.9/29}  # <-
    """,
    good="""
    fabrics:
      inband:
        protocol: ethernet
        tiers: {leaf: {switch: sn5600, per: [], count: 2}}
        extra: {wan: {device: external-router, names: [isp]}}
        exits:
          internet:
            to: wan
            asn: 64496
            devices:
              isp:
                links:
                  port1: {own: 192.0.2.9/29, far: 192.0.2.10}
    """,
)
