"""Faults of tenants."""

from fabricgen.lint.fault import Fault

FG078 = Fault(
    id="FG078",
    name="NoSuchTenantPart",
    title="a tenant names what there is not, or cannot have",
    text="""
    `tenants` names slots, fabrics or extra devices, and one of them is not there, or no tenant can have it.

    Slots are written as in `omit`: `p1/su-1` is a unit, `p1/su-1/node-3` a node, `p1` alone a whole pod. A slot that
    `omit` leaves empty is nobody's. Fabrics of management ports connect what runs the cluster, and are no tenant's. A
    fabric with static routes has no VRFs.
    """,
    bad="""
    tenants:
      blue: {nodes: [p1/su-9]}  # <-
    """,
    good="""
    tenants:
      blue: {nodes: [p1/su-1/node-1]}
    """,
)

FG093 = Fault(
    id="FG093",
    name="TwoTenants",
    title="two tenants have one thing",
    text="""
    A node or a set of extra devices is in two tenants, or a tenant has the name of a VRF that is there already.

    The ports of a node are in one VRF, or in one partition. A tenant's VRF is named after it, so that it is neither
    called like the VRF of a fabric that another carries, nor `default`, `mgmt` or `global`.
    """,
    bad="""
    tenants:
      blue: {nodes: [p1]}
      green: {nodes: [p1/su-1/node-1]}  # <-
    """,
    good="""
    tenants:
      blue: {nodes: [p1/su-1/node-2]}
      green: {nodes: [p1/su-1/node-1]}
    """,
)

FG094 = Fault(
    id="FG094",
    name="CannotBeShared",
    title="a tenant shares what it cannot",
    text="""
    `shared` of a tenant names extra devices on InfiniBand that are members of its partition besides that of their own
    tenant, or that of the nodes of none. The devices are not there, are the tenant's own already, or have no port in an
    InfiniBand fabric that it is kept apart in.

    On Ethernet a device has one VRF, and what tenants share are prefixes: see `leaks`.
    """,
    bad="""
    tenants:
      blue: {nodes: [p1/su-1], shared: [array]}  # <-
    """,
    good="""
    fabrics:
      compute:
        protocol: infiniband
        tiers: {leaf: {switch: qm9700, per: su}, spine: {switch: qm9700, count: 2}}
        extra: {array: {device: ai400x2, ports: 2, attach: storage}}
    tenants:
      blue: {nodes: [p1/su-1], shared: [array]}
    """,
)

FG098 = Fault(
    id="FG098",
    name="CannotLeak",
    title="two VRFs cannot tell each other routes",
    text="""
    `leaks` names two VRFs, and one is not there, no switch has both, or what they would show each other is ambiguous.

    A VRF is a tenant, the VRF of a carried fabric, or `default`. Routes leak on switches that have both, in BGP. Over
    EVPN both VRFs travel so, which `default` never does, and leaves of EOS, which announces nothing that a VRF
    imported, do not meet others, which take only what is announced in a VRF. Bridged hosts of two tenants on one leaf
    are in one subnet, which would be on both sides: state `prefixes` that do not overlap, put them on different leaves,
    or leak in another fabric.
    """,
    bad="""
    tenants:
      blue: {nodes: [p1/su-1/node-1]}
    leaks:
      shared: {between: [blue, services]}  # <-
    """,
    good="""
    tenants:
      blue: {nodes: [p1/su-1/node-1]}
    leaks:
      shared: {between: [blue, default]}
    """,
)
