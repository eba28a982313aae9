"""What the catalogue says of switches, nodes and media, and the NOS that a switch runs."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG011 = Fault(
    id="FG011",
    name="UnknownProfile",
    title="the catalogue has no such profile",
    text="""
    A switch, node or scale-up domain is named that is neither built in nor in the blueprint's own catalogue.

    Ports, speeds and power come from profiles; without one nothing can be sized. `fabricgen catalog` lists what is
    there. Correct the name, or add the device as catalog/switches/ID.yaml (or nodes, scale_up) beside the
    blueprint.
    """,
    bad="""
    fabrics: {compute: {tiers: {leaf: {switch: sn5601}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {leaf: {switch: sn5610}}}}
    """,
)

FG014 = Fault(
    id="FG014",
    name="MissingRole",
    title="no node has the ports that a fabric attaches",
    text="""
    A fabric, or an extra device, attaches ports of a role (`attach`) that its profile has none of, or more than it
    has; or `nic` states how ports of a node are run that does not attach.

    Roles say which NIC ports belong to which network: compute, storage, inband, bmc. Name a role that the profile
    has, as `fabricgen catalog ID` shows it.
    """,
    bad="""
    fabrics: {compute: {attach: computing}}  # <-
    """,
    good="""
    fabrics: {compute: {attach: compute}}
    """,
)

FG015 = Fault(
    id="FG015",
    name="MixedProtocols",
    title="InfiniBand and Ethernet meet on a switch or a link",
    text="""
    A switch is for the other protocol than its fabric, or a tier or carrier of the other protocol is linked with
    it.

    The two have different link layers (InfiniBand Architecture Specification, volume 1; IEEE 802.3): no cable joins
    them without a gateway. Take a switch of the fabric's protocol; gateways between fabrics are extra devices.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: qm9700}}}}  # <-
    """,
    good="""
    fabrics: {compute: {protocol: infiniband, tiers: {
      leaf: {switch: qm9700}, spine: {switch: qm9700}}}}
    """,
)

FG018 = Fault(
    id="FG018",
    name="UnknownNos",
    title="a switch does not run the network OS",
    text="""
    `nos` names an operating system that the switch does not run, or that is not in the catalogue.

    Port names, templates and features come with the operating system; vendors publish which switches it boots on.
    `fabricgen catalog ID` shows those of a switch. Choose one of them.
    """,
    bad="""
    nos: {leaf: sonik}  # <-
    """,
    good="""
    nos: {leaf: sonic}
    """,
)

FG026 = Fault(
    id="FG026",
    name="NoPortTable",
    title="the catalogue has no port table of the switch for its NOS",
    text="""
    A switch runs a NOS for which the catalogue has no table of its ports, or none that fits.

    The table must have every cage of the face, names for the split that is needed, and a breakout mode for its speed.

    What a NOS calls a port follows from its lanes (SONiC: platform.json and port_config.ini of the device), and a
    guess would configure a name that is not there. Lists and bills are written, with ports as the face has them;
    configurations are not. Take another switch, NOS or speed, or add
    catalog/platforms/sonic/SWITCH.yaml beside the blueprint; other NOSes number ports by the face of the switch.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: ds5000}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600}}}}
    """,
)

FG027 = Fault(
    id="FG027",
    name="NoTemplates",
    title="there are no configuration templates for the NOS",
    text="""
    A tier runs a NOS for which fabricgen makes no configurations.

    Lists and cables can be built all the same: leave out the part `configs` (`--only`), or choose another NOS that the
    switch runs.
    """,
    in_words=True,
    bad="""
    fabricgen build example.yaml -o out, where a tier has a `nos` without templates
    """,
    good="""
    fabricgen build example.yaml -o out --only devices,links,cables,bom
    """,
)

FG072 = Fault(
    id="FG072",
    name="UnknownMediumInList",
    title="a product list names an unknown medium",
    text="""
    A product list says of a part that it is one of a cable profile which the catalogue does not have.

    Parts are found by the profile of the medium that was chosen, so that such a part would never be ordered, and
    another, or none, in its place. Correct the name, or add the profile as catalog/cables/ID.yaml beside the
    blueprint.
    """,
    in_words=True,
    bad="""
    products: [{part: OPT-800-SR8, kind: transceiver, name: 800G 2xSR4, media: [sr8-100], form_factor: OSFP,
      gbps: [800], source: our price list}]
    """,
    good="""
    products: [{part: OPT-800-SR8, kind: transceiver, name: 800G 2xSR4, media: [sr8-100g], form_factor: OSFP,
      gbps: [800], source: our price list}]
    """,
)
