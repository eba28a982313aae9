"""Names of things, and what refers to a thing by its name."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG012 = Fault(
    id="FG012",
    name="UnknownSite",
    title="a site is not where pods are, or not where it should be",
    text="""
    An extra device or a span names a site that no pod stands at, or switches at another site.

    A cable does not reach another site: what is joined there goes over a span. Sites are those that pods name
    (`site`). Correct the name, or state the site where the switches stand.
    """,
    bad="""
    fabrics: {compute: {extra: {
      login: {device: generic-server, site: west}}}}  # <-
    """,
    good="""
    site: west
    fabrics: {compute: {extra: {
      login: {device: generic-server, site: west}}}}
    """,
)

FG013 = Fault(
    id="FG013",
    name="UnknownSlot",
    title="an omitted slot does not exist, or nodes do not fill the units stated",
    text="""
    `omit` names a pod, unit or node that there is none of, or a pod's `nodes` leave whole units empty.

    What is omitted keeps its number free, so a name that matches nothing would leave a node wired that is not
    there. Write it like p1/su-last/node-last; for a pod of fewer nodes, state the units that these fill.
    """,
    bad="""
    omit:
      - p1/su-last/node-9  # <-
    """,
    good="""
    omit:
      - p1/su-last/node-4
    """,
)

FG057 = Fault(
    id="FG057",
    name="UnusableSpare",
    title="a spare node does not exist, is omitted, or is named twice",
    text="""
    `spare_nodes` names a slot that there is none of, that `omit` leaves empty, or that is spare already; or so many
    nodes of a rack, unit or pod that none is left in use.

    A spare node takes the place of one that fails, so it has to stand, and to be counted once. Write slots as in
    `omit`, p1/su-last/node-last, or count them: {per: su, count: 1}.
    """,
    bad="""
    omit: [p1/su-2/node-4]
    spare_nodes:
      - p1/su-2/node-4  # <-
    """,
    good="""
    spare_nodes: [p1/su-2/node-4]
    """,
)

FG016 = Fault(
    id="FG016",
    name="UnknownName",
    title="a tier, fabric, port or switch is named that is not there, or cannot be joined",
    text="""
    A setting names a tier, fabric, node, port or switch that this blueprint has none of; or tiers are joined that
    have no place for it: in a circle, twice, or below one that takes nodes.

    What names nothing has no effect, and a chain of tiers needs one order from the nodes up. The hint names what is
    nearest to it. Correct the name, or say `above` or `below` so that every tier has one tier above it.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      border: {switch: sn5600, below: spin, count: 2}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      border: {switch: sn5600, below: spine, count: 2}}}}
    """,
)

FG035 = Fault(
    id="FG035",
    name="NameTaken",
    title="two devices, or two interfaces of a node, would have one name",
    text="""
    A name that is stated is also the name of another device, interface or folder.

    Names are how cables, monitoring and host inventories tell devices apart, and a build keeps the configuration of
    each in a folder of its name. Choose another name for one of the two.
    """,
    bad="""
    fabrics: {storage: {protocol: roce, attach: storage, tiers: {leaf: {switch: sn5600, per: [su, rail]}}}}
    names:
      switches: {leaf: "leaf-{su}-{rail}"}  # <-
    """,
    good="""
    fabrics: {storage: {protocol: roce, attach: storage, tiers: {leaf: {switch: sn5600, per: [su, rail]}}}}
    names:
      switches: {leaf: "{fabric}-{su}-{rail}"}
    """,
)

FG037 = Fault(
    id="FG037",
    name="PodNamedTwice",
    title="counting pods gives two of them one name",
    text="""
    `count` repeats a pod under names that are counted on, and one of these is another pod's key.

    Slots, addresses and names of a pod hang on its name. p1 with count 2 is p1 and p2: call the other pod
    otherwise.
    """,
    bad="""
    pods: {p1: {count: 2}, p2: {su: 5}}  # <-
    """,
    good="""
    pods: {p1: {count: 2}, p3: {su: 5}}
    """,
)

FG039 = Fault(
    id="FG039",
    name="BadNameTemplate",
    title="a template for names has a field that is not there, or lacks one",
    text="""
    A template for names uses a field that its devices or racks have none of, gives a width to text, does not tell
    them apart, or counts with {index} over a tier that may grow in its middle.

    Leaves that stand per rail need {rail} in their names, or several would share one. {index} follows from reserved
    places and stated counts: a derived count that grew would rename the switches behind it. Add the field that the
    message names, write {default} for the usual name, or state the count.
    """,
    bad="""
    names:
      switches: {leaf: "{fabric}-leaf-{su:02}-{n:02}"}  # <-
    """,
    good="""
    names:
      switches: {leaf: "{fabric}-leaf-{pod}-{su:02}-{rail}-{n:02}"}
    """,
)

FG040 = Fault(
    id="FG040",
    name="BadHostName",
    title="a name is no host name",
    text="""
    A name that comes of a template is longer than 63 characters or is no label of a domain name (RFC 1123, 2.1), or is
    no name of a rack, which may have 100.

    Switches and DNS refuse such a name, or cut it off, and then two devices share one. Use letters,
    digits and, inside, '-'; at most 63. `localhost`, `all`, `default`, `nodes`, `configured` and `ungrouped` are words
    of Ansible, of Slurm or of every machine, which would take the device for something else.
    """,
    bad="""
    names:
      switches: {leaf: "{default}-"}  # <-
    """,
    good="""
    names:
      switches: {leaf: "x-{default}"}
    """,
)

FG041 = Fault(
    id="FG041",
    name="InterfaceUnknown",
    title="the operating system's name of a NIC port is not known",
    text="""
    Network settings of hosts are asked for, and what a node's operating system calls a port is not known or not
    usable.

    Linux names interfaces after their place on the PCI bus (systemd.net-naming-scheme), which depends on the
    chassis. State the name under `names: interfaces:`, as `ip link` shows it on one node of that kind.
    """,
    in_words=True,
    bad="""
    fabricgen build example.yaml -o out --only netplan, with nodes whose profile has no interface names
    """,
    good="""
    names: {interfaces: {generic-server: {eth1: enp1s0f0np0}}}
    """,
)
