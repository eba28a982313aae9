"""Pools, addresses, AS numbers, VLANs and GUIDs."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG009 = Fault(
    id="FG009",
    name="SeedOfNoTier",
    title="a hash seed is stated for a tier that is not there",
    text="""
    `seeds` of `routing.load_balance` names a tier that no fabric has, or that the fabric which states it has not.

    The tier that was meant would keep the seed of its NOS, perhaps that of the tier below (FG747). Correct the name, or
    state `seeds: auto`.
    """,
    bad="""
    routing: {load_balance: {
      seeds: {leef: 5}}}  # <-
    """,
    good="""
    routing: {load_balance: {seeds: {leaf: 5}}}
    """,
)

FG024 = Fault(
    id="FG024",
    name="PoolTooSmall",
    title="an address pool is too small",
    text="""
    A pool has no free block of the size that is needed.

    Addresses are given in blocks of a power of two, with room for the switches that may come, so that growth changes
    none: for reserved units, and in an upper tier for as many switches of a group as a lower switch has uplinks to it,
    since a derived count can grow so far. Two borders above leaves with 64 uplinks each have room for 64. The message
    says for how many switches numbers are kept, and why; a pool must hold the largest block in one piece. Add a prefix
    of the length that the hint names to the pool (a list may have several), or state fewer uplinks or a lower reserve.
    """,
    bad="""
    pools: {hosts: 10.9.0.0/28}  # <-
    """,
    good="""
    pools: {hosts: 10.9.0.0/16}
    """,
)

FG025 = Fault(
    id="FG025",
    name="AsnsTooFew",
    title="there are too few AS numbers",
    text="""
    A pool or range of AS numbers has fewer than switches need, or two tiers are to share one.

    Each routing domain needs a number of its own: RFC 7938 (5.2) gives one to each leaf and one to each group of
    spines. Take a larger range; 4200000000-4294967294 is private (RFC 6996). A range for a tier needs one for each
    switch that may come.
    """,
    bad="""
    routing: {asn: {tiers: {leaf: 65000-65002}}}  # <-
    """,
    good="""
    routing: {asn: {tiers: {leaf: 65000-65063}}}
    """,
)

FG047 = Fault(
    id="FG047",
    name="NoSuchNumber",
    title="a stated name or address belongs to nothing, or cannot be used there",
    text="""
    `address_of` or `names: devices:` is for a device, port or address that there is none of, or states an address
    outside of the subnet in which it must lie.

    What is stated must replace what would be given: a management address lies in the management subnet, and is
    neither its gateway nor its first or last address. The hint has the usual address, or the nearest name.
    """,
    bad="""
    address_of:
      compute-spine-05: {asn: 4200000900}  # <-
    """,
    good="""
    address_of:
      compute-spine-04: {asn: 4200000900}
    """,
)

FG048 = Fault(
    id="FG048",
    name="NumberTaken",
    title="a stated address or AS number is in use elsewhere",
    text="""
    An address of `address_of`, or of the lock, is that of another device, lies in a block that is given to others,
    or an AS number is that of another tier.

    An address that two devices have takes both off the network, now and then. State one that nothing has;
    addresses.csv lists those in use.
    """,
    bad="""
    address_of:
      compute-leaf-p1-su01-r1-01: {loopback: 10.0.0.1}  # <-
    """,
    good="""
    address_of:
      compute-leaf-p1-su01-r1-01: {loopback: 10.0.200.1}
    """,
)

FG049 = Fault(
    id="FG049",
    name="NeighboursShareAsn",
    title="two eBGP neighbours would have one AS number",
    text="""
    Two switches that speak eBGP with each other have the same AS number.

    A session between equal numbers is iBGP (RFC 4271, 1.1): it comes up without passing routes on, or does not come
    up at all. Give one of them another number, or take a plan that keeps neighbours apart: `rfc7938` or
    `per-switch`.
    """,
    bad="""
    fabrics: {compute: {tiers: {border: {switch: sn5600, below: spine, count: 2, peer: 2 x 400G}}}}
    routing: {asn: {tiers: {border: 65000}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {border: {switch: sn5600, below: spine, count: 2, peer: 2 x 400G}}}}
    routing: {asn: {tiers: {border: 65000-65001}}}
    """,
)

FG060 = Fault(
    id="FG060",
    name="BadInventory",
    title="the table of the hardware cannot be used",
    text="""
    A cell of the table that `inventory` names is no MAC or GUID, or is there twice; a line names a device or port that
    is not planned, or a MAC of a node without its port; or GUIDs are stated in a table of `guids` as well.

    What is known of a machine goes to its configuration, and to who boots it: a line that fits nothing is of a machine
    in another place. Correct the line; the hint names what is near.
    """,
    in_words=True,
    bad="""
    device,port,mac,guid,serial
    compute-leaf-1,,b8:3f:d2:a1:b2,,MT2334X00001
    """,
    good="""
    device,port,mac,guid,serial
    compute-leaf-1,,b8:3f:d2:a1:b2:c4,,MT2334X00001
    """,
)

FG036 = Fault(
    id="FG036",
    name="BadPciAddress",
    title="a PCI address in the table of the hardware cannot be used",
    text="""
    A cell of the column `pci` is no PCI address, is of no port, or a device has the address twice.

    udev names ports and RDMA devices by it (part `hosts`), and two ports at one address would get each other's name.
    Write it as `lspci -D` does.
    """,
    in_words=True,
    bad="""
    device,port,pci
    p1-su01-n001,OSFP4P2,18:00
    """,
    good="""
    device,port,pci
    p1-su01-n001,OSFP4P2,0000:18:00.0
    """,
)

FG061 = Fault(
    id="FG061",
    name="BadGuids",
    title="a table of GUIDs cannot be used",
    text="""
    The table that `guids` names lacks a column, has a GUID twice or one that no hardware has, or names a device or
    port that there is none of.

    An InfiniBand subnet manager knows devices by their 64-bit GUID alone (InfiniBand Architecture Specification,
    volume 1, chapter 4): with a wrong one the port is routed as somebody else's. Take them from `ibstat` on nodes and
    `ibswitches` for switches.
    """,
    in_words=True,
    bad="""
    device,guid
    compute-leaf-1,0xb83fd20300a1b2c
    """,
    good="""
    device,guid
    compute-leaf-1,0xb83fd20300a1b2c4
    """,
)

FG114 = Fault(
    id="FG114",
    name="VlanTaken",
    title="two fabrics on one switch have one VLAN, or there are too few",
    text="""
    Fabrics that share switches have the same VLAN, or subnets need more VLANs than there are.

    A VLAN is one broadcast domain on a switch, and IEEE 802.1Q numbers 4094 of them. State another `vlan` for one
    fabric, low enough that all of its subnets fit.
    """,
    bad="""
    fabrics:
      storage: {protocol: ethernet, attach: storage, vlan: 200, tiers: {leaf: {switch: sn5600}}}
      inband: {protocol: ethernet, attach: inband, vlan: 200, carried_by: storage}  # <-
    """,
    good="""
    fabrics:
      storage: {protocol: ethernet, attach: storage, vlan: 200, tiers: {leaf: {switch: sn5600}}}
      inband: {protocol: ethernet, attach: inband, vlan: 201, carried_by: storage}
    """,
)
