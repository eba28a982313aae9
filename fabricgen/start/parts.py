"""Parts of a page: kinds of nodes, networks and pods, and the lines of pools, tiers, bonds and exits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.switch_models import SwitchProfile
from fabricgen.design.attach import attach_profile
from fabricgen.design.media.gearing import LinkOptics
from fabricgen.design.media.policy import OPEN
from fabricgen.kernel.diagnostics import InputError
from fabricgen.size.hardware import Hardware, Ports
from fabricgen.start.answers import Answers, NodeKind, Provider

POOLS = {"loopback": "10.0.0.0/16", "fabric": "10.64.0.0/12", "hosts": "172.16.0.0/12", "management": "192.168.0.0/16"}
"""Address pools of a new page."""

SERVERS = "10.32.0.0/16"
"""The network of the management servers that a page names as an example."""

MANAGEMENT = (
    "management:                            # servers of yours, outside of the pools",
    "  ntp: [10.32.0.4, 10.32.0.5, 10.32.0.10, 10.32.0.11]",
    "  syslog: {servers: 10.32.0.6}",
)

NAMES = ('# names: {nodes: "gpu{index:04}", switches: {leaf: "{default}"}}   # docs/names.md has the fields',)

POD_UNITS = (8, 4, 16, 2)
"""How many units a pod below cores may have, in the order in which they are tried."""

MOST_ON_A_PAIR = 32
"""A pair of switches is tried before leaves and spines for at most so many nodes."""

ETHERNET_SWITCH = "sn5600"
"""The switch of storage and in-band, unless the answers name another, or a NOS that it does not run."""

FEWEST_PORTS = 16
"""A switch of storage or in-band must have so many ports for nodes: a few beside faster ones are service ports."""

OOB_LEAF, OOB_SPINE = "sn2201", "sn4600c"
"""48 ports of 1G with 100G uplinks, and what takes these without an adapter."""

WAIVERS = {
    "FG413": 'why: "one provider leads out so far"',
    "FG523": 'why: "switches reach these servers by what out-of-band is linked to"',
    "FG640": 'why: "the draw of these nodes is their maker\'s to tell: state it in a profile of yours"',
    "FG719": 'why: "accounts are for you to state, in management.users"',
    "FG826": 'why: "m_key is for you to set on the host of opensm"',
    "FG822": 'why: "in-band is shared: its servers tell users apart"',
}
"""The findings that a new page waives, as its user has to decide on them: code -> reason of the waiver."""

MANY = 1_000_000
"""The count of ports that stands for no limit."""


@dataclass(frozen=True)
class NodeKindAnswer:
    """A kind of nodes of the answers, with the hardware that its NICs fit.

    `name` is "" if it is the only kind; `in_rack` is how many of these nodes stand in one rack.
    """

    name: str
    nodes: NodeKind
    hardware: Hardware
    in_rack: int

    def count_ports(self, role: str, switch: str) -> int:
        """Return how many ports of a switch the NICs of a role can be plugged into: 0 if they do not fit, and `MANY`
        for nodes without the role, which take no ports.
        """
        profile, node = self.hardware.catalog.switch(switch), self.hardware.node
        if role not in node.roles:
            return MANY
        fabric = Fabric.model_construct(planes=1, nic={}, speed=None, rail_groups=())
        try:
            attachment = attach_profile(
                node, role, fabric, profile, (), optics=LinkOptics(self.hardware.catalog, (), OPEN)
            )
        except InputError:
            return 0
        return Ports(profile, attachment.kind, 1, attachment.links_per_connector).count_most_down(None)

    def list_unit_sizes(self, switch: str, fewest_units: int) -> list[int]:
        """Return how many nodes a scalable unit may have, in whole racks, best first.

        First is the size that takes the fewest leaves in all; then sizes that fill one leaf of each rail, half of it,
        or a quarter; then one rack. Sizes that make at least `fewest_units` units, one for each tenant, come before all
        others.
        """
        ports = self.hardware.find_ports(switch, 1)
        assert isinstance(ports, Ports)  # noqa: S101 - only switches that the NICs meet are chosen
        nodes_per_leaf = max(1, ports.count_most_down(self.hardware.wishes.oversubscription[0]) // ports.legs)
        rack_nodes = self.in_rack

        def count_leaves(size: int) -> int:
            return -(-self.nodes.count // size) * -(-size // nodes_per_leaf)

        fewest = min(
            range(rack_nodes, max(nodes_per_leaf, 8 * rack_nodes) + 1, rack_nodes),
            key=lambda size: (count_leaves(size), size),
        )
        sizes = [
            max(rack_nodes, size // rack_nodes * rack_nodes)
            for size in (nodes_per_leaf, nodes_per_leaf // 2, nodes_per_leaf // 4)
        ]
        in_order = dict.fromkeys(min(size, self.nodes.count) for size in (fewest, *sizes, rack_nodes))
        # False sorts before True: sizes that make enough units come first, in this order
        return sorted(in_order, key=lambda size: -(-self.nodes.count // size) < fewest_units)


@dataclass(frozen=True)
class NetworkLines:
    """The lines of a network below `fabrics`, and the units and pods that go with them.

    `units` and `pod_units` are stated only by the GPUs' network: how many nodes a scalable unit has, for each kind of
    nodes; and how many units a pod has, 0 if one pod has all units of a kind.
    """

    lines: tuple[str, ...]
    units: tuple[int, ...] = ()
    pod_units: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the networks in these lines: one, or two if its switches carry another."""
        heads = (line for line in self.lines if line[2] not in " #")
        return tuple(head.partition(":")[0].strip() for head in heads)


class Pods(NamedTuple):
    """A number of pods that have equally many units of one kind; `nodes` is the count of nodes in a pod whose last
    unit is filled in part, else 0.
    """

    kind: str
    pods: int
    units: int
    nodes: int


def list_pods(kinds: Sequence[NodeKindAnswer], compute: NetworkLines) -> list[Pods]:
    """Return the pods of all kinds of nodes, kind after kind.

    If `pod_units` of the GPUs' network is 0, each kind has one pod of all its units. Else it has pods of `pod_units`
    units, and one more of the units that remain. If the last unit is filled in part, the last pod is an entry of its
    own, since only such a pod can state how many nodes it has.
    """
    pods: list[Pods] = []
    for kind, size in zip(kinds, compute.units, strict=True):
        units = -(-kind.nodes.count // size)
        full, remaining = divmod(units, compute.pod_units) if compute.pod_units else (0, units)
        is_part_filled = kind.nodes.count < units * size
        if is_part_filled and not remaining:  # only a last pod can say how many nodes it has
            full, remaining = full - 1, compute.pod_units
        if full:
            pods.append(Pods(kind.name, full, compute.pod_units, 0))
        if remaining:
            remaining_nodes = kind.nodes.count - full * compute.pod_units * size
            pods.append(Pods(kind.name, 1, remaining, remaining_nodes if is_part_filled else 0))
    return pods


def write_pools(pools: Mapping[str, str]) -> list[str]:
    """Return the lines of the address pools, name to prefix; no lines if there are no pools."""
    listed = ", ".join(f"{name}: {prefix}" for name, prefix in pools.items())
    head = "pools:                                 # yours; no address outside of them is given"
    return [head, f"  {{{listed}}}"] if pools else []


def write_tiers(switch: str, *tiers: str) -> list[str]:
    """Return one line for each tier, given as text such as `spine: {count: 2}` or `core: {}`, with the switch before
    its other keys.
    """
    lines = []
    for tier in tiers:
        name, _, mapping = tier.partition(": ")
        other_keys = mapping.removeprefix("{").removesuffix("}")
        lines.append(f"      {name}: {{{', '.join(filter(None, (f'switch: {switch}', other_keys)))}}}")
    return lines


# Bonds: the ports that a node has in storage and in-band as one interface over two switches.


def carries_bonds(answers: Answers, nos: str, catalog: Catalog) -> bool:
    """Whether a NOS can do the bonds that the answers ask for, over two switches and in all of its images.

    It is true for every NOS if they ask for none.
    """
    intent = {"none": "", "mlag": "mlag", "esi": "evpn-multihoming"}[answers.bonds]
    configuration = catalog.naming(nos).configuration
    return not intent or (intent in configuration.claims and not configuration.pairs.mlag_by_image)


def write_pair(answers: Answers, switch: SwitchProfile, catalog: Catalog) -> str:
    """Return the end of a tier's line that makes two leaves a pair for bonds: two links between them at full speed
    (MLAG), or EVPN; "" if there are no bonds.
    """
    if answers.bonds != "mlag":
        return ", pair: evpn" if answers.bonds == "esi" else ""
    fastest = max(cages.speed_gbps for cages in switch.cages)
    return f", peer: 2 x {fastest:g}G" + ", pair: mclag" * _has_mlag_by_image(answers, catalog)


def write_bonds(answers: Answers, switch: SwitchProfile, nos: str, catalog: Catalog) -> list[str]:
    """Return the lines of a network whose hosts have bonds. If the page has no NOS for all switches (`nos` is ""),
    they name a NOS that can do bonds.
    """
    if answers.bonds == "none":
        return []
    lines = ["    bond: node                         # one interface of all ports that a node has here"]
    if answers.bonds == "esi":
        lines += ["    routing: {overlay: evpn}"]
    elif _has_mlag_by_image(answers, catalog):
        lines += ["    # `pair: mclag` says that your image has ICCPd (INCLUDE_ICCPD = y); community images have not"]
    capable_nos = (
        [] if nos else [name for name in catalog.list_usable_nos(switch) if carries_bonds(answers, name, catalog)]
    )
    return lines + [f"    nos: {name}" for name in capable_nos[:1]]


def _has_mlag_by_image(answers: Answers, catalog: Catalog) -> bool:
    """Whether the NOS that was named has MLAG in some images only."""
    return bool(answers.nos) and catalog.naming(answers.nos).configuration.pairs.mlag_by_image


# Exits: routers of providers, of all tenants or of one, and the ways that lead to them.


def write_exits(answers: Answers, tier: str) -> list[str]:
    """Return the lines of the in-band network by which traffic leaves the cluster.

    They are sets of routers of providers, linked to the switches of a tier, and an exit to each set. Every exit accepts
    the default route and announces the hosts. That of the providers that all tenants share also accepts the route to
    the management servers.
    """
    by_name = {provider.name: provider for provider in answers.providers}
    router_sets = [("wan", "internet", answers.shared_providers)]
    for tenant in answers.tenants:
        providers = tuple(by_name[name] for name in tenant.providers)
        router_sets.append((name_routers(tenant.name), f"{tenant.name}-out", providers))
    uses = Counter(provider.name for *_, providers in router_sets for provider in providers)
    extras, exits = [], []
    for routers, name, providers in router_sets:
        if providers:
            listed = ", ".join(provider.name for provider in providers)
            # one router meets both switches, unless it has a port for each of several tenants
            ports = 2 if len(providers) == uses[providers[0].name] == 1 else 1
            device = f"device: external-router, names: [{listed}], ports: {ports}, to: {tier}, speed: 400G"
            extras.append(f"      {routers}: {{{device}}}")
            accepted = f"accept: {SERVERS}, " if routers == "wan" else ""
            words = (
                f"to: {routers}, {_write_numbers(providers)}, {accepted}announce: {POOLS['hosts']}, max_prefixes: 10"
            )
            exits.append(f"      {name}: {{{words}}}")
    accepted_routes = (
        "the default route, and that to the servers of management" if answers.shared_providers else "the default route"
    )
    head = f"    exits:                             # {accepted_routes}"
    return ["    extra:", *extras, head, *exits]


def name_routers(tenant: str) -> str:
    """Return the name of the set of routers of a tenant's providers."""
    return f"{tenant}-wan"


def _write_numbers(providers: Sequence[Provider]) -> str:
    """Return the keys with the AS numbers of providers: that of the first as `asn`, the others by device."""
    first, *others = providers
    devices = ", ".join(f"{provider.name}: {{asn: {provider.asn}}}" for provider in others)
    return ", ".join([f"asn: {first.asn}", *([f"devices: {{{devices}}}"] if devices else [])])
