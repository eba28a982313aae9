"""How tiers are grouped, and what fabrics that meet must agree on."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG017 = Fault(
    id="FG017",
    name="BadGrouping",
    title="a tier is grouped by what it cannot be grouped by",
    text="""
    `per` names no dimension, or a tier is grouped more finely than the tier below it.

    Switches are wired with those that they share coordinates with. A spine per pod cannot serve a leaf of the whole
    fabric: there would be no saying to which pod's spines it belongs. Group the lower tier as finely, or the upper
    one more widely.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: [su, rial]}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: [su, rail]}}}}
    """,
)

FG019 = Fault(
    id="FG019",
    name="ManagementConflict",
    title="two fabrics claim the same management ports or devices",
    text="""
    Two fabrics take the management ports of switches (`also: switches`), the number of switches that a fabric manages
    depends on its own in a circle, or the same extra device is described differently in two fabrics.

    A switch has one management port, and extra devices of one name are the same devices. Let one fabric take the
    ports, state the `count` of a tier that management leaves are linked up to, and give other devices other names.
    """,
    bad="""
    fabrics:
      oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
      oob2: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}  # <-
    """,
    good="""
    fabrics:
      oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
    """,
)

FG112 = Fault(
    id="FG112",
    name="BadVrf",
    title="a VRF has a name that SONiC cannot take",
    text="""
    A fabric that shares switches becomes a VRF, and its name is too long or is one that the NOS keeps for itself.

    On Linux a VRF is a device, whose name has at most 15 characters (IFNAMSIZ, linux/if.h); SONiC puts `Vrf` before
    it and keeps `mgmt` for management. State a shorter `vrf`.
    """,
    bad="""
    fabrics:
      storage:
        protocol: roce
        carried_by: compute
        attach: storage
        vrf: mgmt  # <-
    """,
    good="""
    fabrics:
      storage: {protocol: roce, carried_by: compute, attach: storage, vrf: files}
    """,
)

FG113 = Fault(
    id="FG113",
    name="UnderlaysDiffer",
    title="linked fabrics have different underlays, or static routes cannot run",
    text="""
    Two fabrics that share switches or links have different underlays, or static routes are asked for over peer
    links, spans or VRFs.

    One switch runs one routing design; static routes know no neighbour that fails, so they are made only where the
    next hop is the link itself. State one underlay for both, or an eBGP one.
    """,
    bad="""
    routing: {underlay: static}
    fabrics:
      compute: {tiers: {leaf: {per: su, count: 2, peer: 2 x 400G}}}  # <-
    """,
    good="""
    routing: {underlay: ebgp-numbered}
    fabrics:
      compute: {tiers: {leaf: {per: su, count: 2, peer: 2 x 400G}}}
    """,
)

FG115 = Fault(
    id="FG115",
    name="FamiliesDiffer",
    title="linked fabrics have different address families",
    text="""
    Two fabrics that share switches or links differ in `ip`.

    A link has addresses of one set of families at both ends; a session over IPv6 does not reach an end that has
    IPv4 alone. State one `ip` for both.
    """,
    bad="""
    fabrics:
      storage:
        protocol: roce
        attach: storage
        ip: v6  # <-
        carried_by: compute
    """,
    good="""
    fabrics:
      storage: {protocol: roce, attach: storage, carried_by: compute}
    """,
)

FG116 = Fault(
    id="FG116",
    name="ManagementOnRails",
    title="a management fabric has subnets of rails",
    text="""
    A fabric that takes the management ports of switches (`also: switches`) has `hosts: rail-subnets`.

    Subnets of rails tell the NICs of a node apart; a management port is on no rail. Let hosts of such a fabric be
    `bridged`.
    """,
    bad="""
    fabrics:
      oob:
        protocol: ethernet
        attach: bmc
        also: switches
        hosts: rail-subnets  # <-
        tiers: {leaf: {switch: sn2201}}
    """,
    good="""
    fabrics:
      oob: {protocol: ethernet, attach: bmc, also: switches, hosts: bridged, tiers: {leaf: {switch: sn2201}}}
    """,
)

FG131 = Fault(
    id="FG131",
    name="SpansWithoutSwitches",
    title="a fabric without switches of its own has spans",
    text="""
    A fabric that is `carried_by` another states `spans`, the long-haul links of its top tier.

    Its switches are its carrier's, and so are their links to other sites, which carry both. State the spans on the
    carrier.
    """,
    bad="""
    pods: {p1: {su: 2, site: east}, p2: {su: 2, site: west}}
    fabrics:
      compute: {tiers: {spine: {per: site}}}
      storage:
        protocol: roce
        carried_by: compute
        spans: {haul: {between: [east, west], km: 5, links: 4}}  # <-
    """,
    good="""
    pods: {p1: {su: 2, site: east}, p2: {su: 2, site: west}}
    fabrics:
      compute:
        tiers: {spine: {per: site}}
        spans: {haul: {between: [east, west], km: 5, links: 4}}
      storage: {protocol: roce, carried_by: compute}
    """,
)

FG063 = Fault(
    id="FG063",
    name="ReservedCagesClash",
    title="cages are reserved twice, or beyond the switch's face",
    text="""
    `reserved_ports` keeps a cage for a purpose, and another purpose or `cages` has it too, or the switch has none of
    that number.

    Cages are numbered from 1 as on the front panel. Keep them apart and within the panel.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, reserved_ports: {wan: {cages: 64-72}}}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, reserved_ports: {wan: {cages: 63-64}}}}}}
    """,
)

FG064 = Fault(
    id="FG064",
    name="ReservedPortsInUse",
    title="ports to be reserved are in use",
    text="""
    Fewer ports of a tier's switches are free than `reserved_ports` keeps for purposes.

    A switch of a tier without nodes, lower switches and devices has no kind of down ports to count: state the `cages`
    there. A lock keeps devices where they are, even on ports that are reserved afterwards.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      border: {switch: sn5600, below: spine, count: 2, reserved_ports: {wan: 2}}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      border: {switch: sn5600, below: spine, count: 2, reserved_ports: {wan: {cages: 1-2}}}}}}
    """,
)
