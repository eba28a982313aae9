"""How nodes attach to a fabric: which NIC ports, at what speed, split over which planes."""

from collections.abc import Callable
from math import gcd
from typing import NamedTuple

from fabricgen.blueprint.scalars import ALL_KINDS, NicMode
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CageClass, NicPort, NicRole, NodeProfile, SwitchProfile
from fabricgen.design.fabric_model import Attachment, FabricDesign, Leg
from fabricgen.design.media.gearing import LinkOptics, UnplacedEnd
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault
from fabricgen.kernel.grouping import group_pairs

MAX_NAMED = 3
"""How many switches a hint names at most."""


def attach_profile(
    profile: NodeProfile,
    role_name: str,
    fabric: Fabric,
    switch: SwitchProfile,
    path: Path,
    *,
    ports: int | None = None,
    speed: int | None = None,
    split: bool = True,
    optics: LinkOptics,
    breakout: Callable[[int], int] = lambda _: 0,
) -> Attachment:
    """Return how nodes of a profile attach to a fabric whose lowest switch is `switch`: their legs (logical ports; a
    NIC port split over planes has several), the speed and the lane rates.

    `optics` chooses lane rates for the links. `breakout` takes a speed, Gb/s, and returns into how many ports of that
    speed the blueprint says to split the switch's cages, 0 if it does not say. `ports` limits how many NIC ports
    attach, `speed` is their stated speed, Gb/s. `split` is false for extra devices, whose ports are never split over
    planes.

    Raises InputError if the profile lacks the role or has fewer ports than `ports` (FG014), if the NIC cannot be split
    over the planes (FG102), or if both ends have no speed in common (FG103).
    """
    role = profile.roles.get(role_name)
    if role is None:
        raise fault(
            "FG014",
            f"{profile.id} has no '{role_name}' ports",
            path=(*path, "attach"),
            hint=did_you_mean(role_name, profile.roles),
        )
    if ports is not None and ports > len(role.ports):
        raise fault(
            "FG014",
            f"{profile.id} has {len(role.ports)} '{role_name}' ports, {ports} are asked for",
            path=(*path, "ports"),
            hint=f"state at most {len(role.ports)}, or another role with `attach`",
        )
    mode = (
        _choose_mode(profile, role, role_name, fabric, path) if split else NicMode.model_construct(ways=1, speed_gbps=0)
    )
    speed_asked = speed or fabric.speed
    if not split and speed is None and speed_asked not in role.speeds:
        speed_asked = None
    leg_gbps, nic_lane_gbps, switch_port_lane_gbps = _choose_speed(
        profile, role, mode, speed_asked, (switch, breakout, optics), path
    )
    rails = _group_rails(profile, role, fabric, path)
    return Attachment(
        profile=profile,
        role=role_name,
        legs=_make_legs(role, mode.ways, fabric.planes if split else 1, rails, ports),
        speed_gbps=leg_gbps,
        lane_gbps=nic_lane_gbps,
        switch_lane_gbps=switch_port_lane_gbps,
        form_factor=role.form_factor,
        links_per_connector=mode.ways,
        top=role.top,
    )


def _choose_mode(profile: NodeProfile, role: NicRole, role_name: str, fabric: Fabric, path: Path) -> NicMode:
    """Return how each NIC port is split: as the blueprint states, else into the fewest ports with which the ports of a
    NIC divide equally over the planes.

    Raises InputError (FG102) if a port cannot be split so, or if the ports of a NIC do not divide over the planes.
    """
    per_nic = role.ports_per_nic
    stated = fabric.nic.get(profile.id) or fabric.nic.get(ALL_KINDS)
    # the smallest split that makes the ports of a NIC a multiple of the planes; speed 0 stands for the fastest
    mode = stated or NicMode.model_construct(ways=fabric.planes // gcd(fabric.planes, per_nic), speed_gbps=0)
    path_stated = (
        (*path, "planes") if stated is None else (*path, "nic", *([profile.id] if profile.id in fabric.nic else []))
    )
    if mode.ways not in role.splits:
        offered = ", ".join(f"{ways} x {max(role.speeds) // ways}G" for ways in role.splits)
        raise fault(
            "FG102",
            f"a '{role_name}' port of {profile.id} cannot be split into {mode.ways}: it runs as {offered}",
            path=path_stated,
            hint="take another node profile, or fewer planes",
        )
    if mode.ways * per_nic % fabric.planes:
        raise fault(
            "FG102",
            f"the {mode.ways * per_nic} '{role_name}' ports of a NIC of {profile.id} cannot be spread equally over "
            f"{fabric.planes} planes",
            path=path_stated,
            hint=f"state a number of planes that divides {mode.ways * per_nic}, or another `nic`",
        )
    return mode


def _choose_speed(
    profile: NodeProfile,
    role: NicRole,
    mode: NicMode,
    speed_asked: int | None,
    switch_breakout_optics: tuple[SwitchProfile, Callable[[int], int], LinkOptics],
    path: Path,
) -> tuple[int, float, float]:
    """Return (speed of a leg, lane rate at the NIC, lane rate at the switch), all in Gb/s. The speed is the stated one
    (`speed_asked`, or by `mode`), else the first of the NIC's speeds that both ends offer.

    If that takes modules with a gearbox (the lane rates differ), a later speed for which the blueprint states a
    breakout is preferred. `switch_breakout_optics` has `switch`, `breakout` and `optics` of `attach_profile`. Raises
    InputError (FG103) if both ends have no speed in common.
    """
    switch, breakout, optics = switch_breakout_optics
    offered = [s // mode.ways for s in role.speeds if s % mode.ways == 0]
    speed_wanted = speed_asked or mode.speed_gbps or None
    # the first match that needs a gearbox: only a match with a stated breakout comes before it
    match_with_gearbox: tuple[int, float, float] | None = None
    for speed in offered if speed_wanted is None else [speed_wanted] if speed_wanted in offered else []:
        # the stated breakout first, then any (0)
        for ways in dict.fromkeys((breakout(speed), 0)):
            for cage in list_matching_cages(switch, role.form_factor):
                rates = optics.find_lane_rates(UnplacedEnd(role, mode.ways), UnplacedEnd(cage, ways), speed)
                if rates and (rates[0] == rates[1] or ways):
                    # a match that needs a gearbox is faster, but a stated breakout says how fast ports are
                    return match_with_gearbox if match_with_gearbox and not ways else (speed, *rates)
                if rates and match_with_gearbox is None:
                    match_with_gearbox = speed, *rates
    if match_with_gearbox is not None:
        return match_with_gearbox
    matching = list_matching_cages(switch, role.form_factor)
    offers = "/".join(map(str, sorted({s for c in matching for s in c.speeds}, reverse=True)))
    at_speed = f"at {speed_wanted}G " if speed_wanted else ""
    note = "" if speed_wanted in (None, *offered) else f": the port runs at {'/'.join(map(str, offered))}G alone"
    lanes = next(filter(None, (explain_lacking_lanes(s, role, profile.id, switch) for s in offered)), "")
    raise fault(
        "FG103",
        f"a {'/'.join(map(str, offered))}G {role.form_factor} port of {profile.id} cannot link {at_speed}"
        f"to {switch.id}, which offers {f'{offers}G' if offers else 'no such cage'}{f': {lanes}' if lanes else note}",
        path=(*path, "speed") if speed_asked else path,
        hint=_suggest_other_switches(optics.catalog, role, switch)
        if lanes
        else "choose a switch, a speed or a NIC mode that both ends offer",
    )


def _suggest_other_switches(catalog: Catalog, role: NicRole, switch: SwitchProfile) -> str:
    """Return the hint for ports whose lanes are slower than those of a switch: a fabric of their own.

    Optics of 200G lanes do not downshift (LinkX 100G-PAM4 Product Line Overview,
    docs.nvidia.com/networking/display/400g100gpam4ovpub).
    """
    other_switches = (catalog.switch(name) for name in catalog.ids("switches"))
    same_protocol = (s for s in other_switches if s.protocol == switch.protocol)
    matching = [
        s.id
        for s in same_protocol
        if any(c.lane_gbps == role.lane_gbps for c in list_matching_cages(s, role.form_factor))
    ]
    on_text = f" on {' or '.join(sorted(matching)[:MAX_NAMED])}" if matching else ""
    return (
        f"ports of {role.lane_gbps:g}G lanes need a fabric of their own{on_text}; or take a device whose lanes run at "
        f"{max(c.lane_gbps for c in switch.cages):g}G"
    )


def explain_lacking_lanes(speed: int, nic: NicRole, node: str, switch: SwitchProfile) -> str:
    """Return why ports of a speed, Gb/s, have too few lanes at the rate that both ends have, the NIC of a `node`
    profile and a switch; "" if they have enough.

    800G over lanes of 100G takes eight lanes, however fast a cage's own lanes are: a cage of 4 x 200G has four.
    """
    # most of a switch's cages first: people have these in mind
    for cage in sorted(list_matching_cages(switch, nic.form_factor), key=lambda cage: -cage.count):
        ways_with_speed = [ways for ways, speeds in cage.breakouts.items() if speed in speeds]
        lanes_there = cage.lanes // min(ways_with_speed, default=1)
        rate = min(nic.lane_gbps, cage.lane_gbps)
        # rounded up; a rate may be a fraction, such as 106.25
        lanes_needed = -int(-speed // rate)
        lanes_by_end = ((lanes_there, cage.lane_gbps, switch.id), (nic.lanes, nic.lane_gbps, node))
        for lanes, lane_gbps, device in lanes_by_end:
            if ways_with_speed and lanes_needed > lanes:
                return (
                    f"{speed}G over lanes of {rate:g}G takes {lanes_needed} lanes, and {speed}G ports of {device} "
                    f"have {lanes}, of {lane_gbps:g}G"
                )
    return ""


def list_matching_cages(switch: SwitchProfile, form_factor: str) -> list[CageClass]:
    """Return the cages that a port of a form factor can be cabled to: RJ45 ports only to RJ45 cages, other ports to
    others.
    """
    return [c for c in switch.cages if (c.form_factor == "RJ45") == (form_factor == "RJ45")]


def _group_rails(profile: NodeProfile, role: NicRole, fabric: Fabric, path: Path) -> dict[int, int]:
    """Return the rail group (from 1) of every rail of a role: as the blueprint states, else 1 for all.

    Raises InputError (FG108) if stated rail groups leave out a rail.
    """
    rails = sorted({port.rail for port in role.ports})
    if not fabric.rail_groups:
        return dict.fromkeys(rails, 1)
    group_of_rail = {rail: i for i, group in enumerate(fabric.rail_groups, 1) for rail in group}
    missing = [rail for rail in rails if rail not in group_of_rail]
    if missing:
        completed = sorted((*fabric.rail_groups[-1], *missing))
        raise fault(
            "FG108",
            f"rail_groups leave out rail {', '.join(map(str, missing))}: a {profile.id} has {len(rails)} rails",
            path=(*path, "rail_groups"),
            hint=f"name every rail once, for example {[list(g) for g in fabric.rail_groups[:-1]] + [completed]}",
        )
    return group_of_rail


def _make_legs(role: NicRole, ways: int, planes: int, groups: dict[int, int], ports: int | None) -> tuple[Leg, ...]:
    """Return the legs of a node's first `ports` ports of a role (all if None), each split into `ways` ports.

    `groups` has the rail group of each rail.
    """
    first_ports = sorted(role.ports, key=lambda p: (p.rail, p.port))[:ports]
    names_by_cage = group_pairs((port.cage, port.name) for port in sorted(role.ports, key=lambda p: p.name))
    legs = [
        _make_leg(port, groups[port.rail], names_by_cage[port.cage].index(port.name), sub_port, ways, planes)
        for port in first_ports
        for sub_port in range(ways)
    ]
    # the order in which ports of switches are dealt out to legs, and in which links of a node are listed
    return tuple(sorted(legs, key=lambda leg: (leg.rail, leg.plane, leg.port)))


def _make_leg(port: NicPort, rail_group: int, connector: int, sub_port: int, ways: int, planes: int) -> Leg:
    """Return the leg for port `sub_port`, from 0, of the `ways` ports that a NIC port is split into; ports of a NIC are
    assigned to planes round-robin. `connector` is the NIC port's position in its cage, from 0.
    """
    # ports in the catalogue count from 1 within their NIC
    port_in_nic = (port.port - 1) * ways + sub_port
    return Leg(
        rail=port.rail,
        rail_group=rail_group,
        plane=port_in_nic % planes + 1,
        port=port_in_nic // planes + 1,
        name=port.name if ways == 1 else f"{port.name}/{sub_port + 1}",
        cage=port.cage,
        connector=connector,
        sub=connector * ways + sub_port,
        gpu=port.gpu,
    )


# Ports of devices that no fabric attaches, so that no cable is planned for them.


class Unattached(NamedTuple):
    """Nodes or extra devices of one set: the roles of their ports that fabrics attach (`attached`), and those that no
    fabric attaches (`missing`), sorted.
    """

    profile: NodeProfile
    attached: tuple[str, ...]
    missing: tuple[str, ...]
    path: Path
    skipped: frozenset[str] = frozenset()
    """The missing roles that belong to fabrics which the devices are stated to `skip`."""


def list_unattached(design: Design) -> list[Unattached]:
    """Return the sets of nodes, then of extra devices, with ports that no fabric attaches; devices that others own are
    left out.
    """
    nodes: dict[Path, set[str]] = {members.path: set() for members in design.layout.node_sets}
    extras: dict[str, tuple[NodeProfile, Path, set[str]]] = {}
    role_of = {name: spec.attach or name for name, spec in design.loaded.blueprint.fabrics.items()}
    for fabric in design.fabrics:
        for members, attachment in fabric.attachments:
            nodes[members.path].add(attachment.role)
        for extra in fabric.extras:
            # the third entry has the roles of the set in all fabrics
            extras.setdefault(extra.name, (extra.attachment.profile, extra.path, set()))[2].add(extra.attachment.role)
    devices = []
    for members in design.layout.node_sets:
        skipped = frozenset(role_of[fabric] for fabric in members.skip)
        devices.append((members.profile, members.path, nodes[members.path], skipped))
    devices += [(*extra, frozenset()) for extra in extras.values()]
    return [
        Unattached(profile, tuple(sorted(roles)), missing, path, skipped.intersection(missing))
        for profile, path, roles, skipped in devices
        if (missing := tuple(sorted(set(profile.roles) - roles))) and not profile.external
    ]


# What a single address of a NIC in all planes requires of a fabric: routed hosts, and planes that meet nowhere.
# In each plane the NIC and its leaf have the same pair of addresses, and the leaf the same block for its hosts, so
# that all planes have the same route to the NIC (NVIDIA's hardware plane load balancing: k8s-launch-kit,
# pkg/spectrumx, allocates host and leaf as of plane 0 unless the mode is swplb).


NIC_ADDRESSES = "FG128"


def check_nic_addresses(design: Design) -> None:
    """Raise InputError (FG128) if the NICs of a fabric are to have one address, and its planes cannot share
    addresses.
    """
    for fabric in design.fabrics:
        if fabric.address_per == "nic" and (obstacle := _find_obstacle(design, fabric)):
            message, hint = obstacle
            raise fault(NIC_ADDRESSES, f"{fabric.name} {message}", path=(*fabric.path, "address_per"), hint=hint)


def _find_obstacle(design: Design, fabric: FabricDesign) -> tuple[str, str] | None:
    """Return (what prevents one address for a NIC, the hint); None if nothing does."""
    if fabric.hosts != "routed":
        message = f"has `hosts: {fabric.hosts}`, and one address for a NIC is that of a routed host in all planes"
        return message, "" if fabric.protocol == "infiniband" else "state `hosts: routed`"
    if fabric.planes == 1:
        hint = "state `planes: 2` or more, or `address_per: port`"
        return "has one plane, and one address for a NIC is that in several", hint
    owners = dict.fromkeys(leaf.fabric for leaf in fabric.leaves)
    shared_tiers = [tier for owner in owners for tier in design.fabric(owner).tiers if "plane" not in tier.per]
    if shared_tiers:
        return (
            f"has planes that meet in {shared_tiers[0].text}, which would know an address twice",
            "state `per: plane` there",
        )
    return None
