"""Actions for cables at which nobody is seen: one for each cause, a device, all of its cables to a tier,
a trunk, or a cable."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from fabricgen.verify.actions import Action, End, Kind
from fabricgen.verify.diagnosis.states import find_dark_links
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.verify.diagnosis.trunks import list_trunk_ends, list_trunk_links
from fabricgen.verify.diagnosis.wording import describe_box, describe_plug, make_end
from fabricgen.wiring.arrays import Flags, Ints64

ASK_BATCH = "are these of one batch, of another polarity or kind than planned, or are their ports shut?"
LEAST_DARK_CABLES = 2
"""So many dark cables of one device may have one cause; a single one is told as a cable."""


def list_dark_actions(topology: SeenTopology, missing: list[int]) -> list[Action]:
    """What to do about dark cables; `missing` are planned ends whose cable is not there for other reasons."""
    cabling = topology.cabling
    dark = find_dark_links(topology)
    # `port >> 1` is the link of a port
    dark[[end >> 1 for end in missing]] = True
    links = np.flatnonzero(dark)
    by_cable: dict[int, list[int]] = {}
    for link in links.tolist():
        by_cable.setdefault(int(cabling.cable[link]), []).append(link)
    actions = []
    # one cause for many cables first: what a device explains is not told again of its sides, nor cable by cable
    for device, cables, unseen in _find_blind_devices(topology, links):
        dark_cables = [cable for cable in cables if cable in by_cable]
        if len(dark_cables) < LEAST_DARK_CABLES:
            continue
        for cable in dark_cables:  # the other plug of the cage may hang loose as well
            other_links = [
                link for link in by_cable.pop(cable) if device not in cabling.device[[2 * link, 2 * link + 1]]
            ]
            if other_links:
                by_cable[cable] = other_links
        actions.append(_make_device_action(topology, device, dark_cables, unseen))
    actions += _take_blind_trunks(topology, by_cable)
    for device, tier, cables in _find_blind_sides(topology, dark):
        dark_cables = [cable for cable in cables if cable in by_cable]
        if len(dark_cables) >= LEAST_DARK_CABLES:
            actions.append(
                _make_side_action(topology, device, tier, {cable: by_cable.pop(cable) for cable in dark_cables})
            )
    return actions + [_make_cable_action(topology, cable, links) for cable, links in by_cable.items()]


def _list_cable_ids(topology: SeenTopology, cables: list[int]) -> list[str]:
    """The ids of cables, sorted."""
    return sorted(str(topology.cabling.cable_ids[cable]) for cable in cables)


def _make_cable_action(topology: SeenTopology, cable: int, links: list[int]) -> Action:
    """A cable, some of its jumpers, or the tails of a breakout, by its dark links."""
    ends = _list_plugs(topology, links)
    name = str(topology.cabling.cable_ids[cable])
    # `_list_plugs` lists both ends of each jumper
    tails, jumpers = _count_tails(topology, links), len(ends) // 2
    near, far = (describe_plug(end) for end in ends[:2])
    if tails:
        text = f"breakout {name}: {tails} of its tails see nobody and are seen by nobody: is it plugged in?"
    elif jumpers == 1 and any(topology.mate[port] >= 0 for port in (2 * links[0], 2 * links[0] + 1)):
        text = f"the cable from {near} to {far} is missing: what is plugged there belongs elsewhere"
    elif jumpers == 1 and (lit_connector := _find_lit_half(topology, 2 * links[0])):
        text = f"{near} and {far} do not see each other, though the other half of the module, {lit_connector}"
        text += ", is up: look at this jumper's polarity, for dirt, and whether it sits"
    elif jumpers == 1:
        text = f"{near} and {far} do not see each other, nor anybody else: is the cable plugged in?"
    else:
        text = f"cable {name}: none of its {jumpers} jumpers is up, from {near} and {far} on: "
        text += "are the modules in, and the jumpers plugged in?"
    return Action(Kind.DARK, 0, (name,), ends, text if text.endswith("?") else f"{text}.")


def _list_plugs(topology: SeenTopology, links: list[int]) -> tuple[End, ...]:
    """The plugs of some links, each once, in the order of their ports."""
    plugs = topology.cabling.plug
    # the lowest port of a plug is written last, and stays
    first = {int(plugs[port]): port for link in reversed(links) for port in (2 * link + 1, 2 * link)}
    return tuple(make_end(topology, port) for port in sorted(first.values()))


def _count_tails(topology: SeenTopology, links: list[int]) -> int:
    """How many tails of splitters some links run over; 0 where they run over jumpers alone."""
    plugs, cabling = topology.cabling.plug, topology.cabling
    for port in (2 * links[0], 2 * links[0] + 1):
        if len({int(plugs[lane ^ 1]) for lane in cabling.list_plug_ports(int(plugs[port]))}) > 1:
            # of each link the end opposite to the common plug: `port & 1` is the side of that, a or b
            return len({int(plugs[(2 * link + (port & 1)) ^ 1]) for link in links})
    return 0


def _find_lit_half(topology: SeenTopology, port: int) -> str:
    """The connector beside that of a dark link, in its cage at either end, that somebody is seen over ("": none)."""
    cabling = topology.cabling
    for end in (port, port ^ 1):
        cage, own_plug = cabling.find_cage(end), int(cabling.plug[end])
        for beside in cabling.list_device_ports(int(cabling.device[end])).tolist():
            if (
                topology.mate[beside] >= 0
                and int(cabling.plug[beside]) != own_plug
                and cabling.find_cage(beside) == cage
            ):
                return f"{cabling.device_names[cabling.device[end]]}:{cabling.connector_text(beside)}"
    return ""


def _find_blind_devices(topology: SeenTopology, links: Ints64) -> list[tuple[int, list[int], int]]:
    """(Device, its cables that are dark, how many more nobody looked at) of devices that nobody sees, nor they anybody,
    with two dark cables or more; those with the most first.

    A few of its cables may be plugged into other devices, so that nobody can be seen there.
    """
    cabling = topology.cabling
    ends = np.r_[cabling.device[2 * links], cabling.device[2 * links + 1]]
    devices, dark = np.unique(ends, return_counts=True)
    of_dark = np.zeros(topology.first_spare // 2, dtype=bool)
    of_dark[links] = True
    blind_devices = []
    for device, count in zip(devices.tolist(), dark.tolist(), strict=True):
        ports = cabling.list_device_ports(device)
        unseen = ports[[not of_dark[port >> 1] and topology.is_unseen(port) for port in ports.tolist()]]
        looked_at = len(ports) - len(unseen)
        # a silent device of which some cables are elsewhere is still one cause; half or less is left to single cables
        if count == looked_at or (2 * count > looked_at and _is_gone(topology, device, ports)):
            cables = sorted(set(cabling.cable[ports[of_dark[ports >> 1]] >> 1].tolist()))
            unseen_cables = len(set(cabling.cable[unseen >> 1].tolist()) - set(cables))
            if len(cables) >= LEAST_DARK_CABLES:
                blind_devices.append((device, cables, unseen_cables))
    return sorted(blind_devices, key=lambda blind_device: (-len(blind_device[1]), blind_device[0]))


def _is_gone(topology: SeenTopology, device: int, ports: Ints64) -> bool:
    """Whether nobody sees a device, nor it anybody."""
    all_ports = topology.list_ports(device)
    sees = any(topology.mate[port] >= 0 or topology.towards[port] >= 0 or topology.odd[port] for port in all_ports)
    # nor does a far end name the device, at a port that is not known
    return not sees and not bool((topology.towards[ports ^ 1] == device).any())


def _make_device_action(topology: SeenTopology, device: int, cables: list[int], unseen: int) -> Action:
    """A device: whether it has power, if it has no dump of its own; else one looks at its plugs."""
    end = End(topology.cabling.device_names[device], "", *topology.cabling.find_rack(device))
    unseen_text = f", and {unseen} more that nobody looked at" if unseen else ""
    text = f"{describe_box(end)} sees nobody and is seen by nobody ({len(cables)} cables{unseen_text}): "
    if not topology.speaks[device]:
        return Action(Kind.DARK, 0, tuple(_list_cable_ids(topology, cables)), (end,), f"{text}is it powered?")
    ports = topology.cabling.list_device_ports(device)
    links = ports[np.isin(topology.cabling.cable[ports >> 1], cables)] >> 1
    ends = tuple(plug_end for plug_end in _list_plugs(topology, links.tolist()) if plug_end.device == end.device)
    return Action(Kind.DARK, 0, tuple(_list_cable_ids(topology, cables)), ends, f"{text}{ASK_BATCH}")


def _take_blind_trunks(topology: SeenTopology, by_cable: dict[int, list[int]]) -> list[Action]:
    """An action for each trunk that no link runs over, though its links are of several devices at both ends.

    Their links are taken out of `by_cable`, the dark links of each cable that nothing explains yet.
    """
    cabling = topology.cabling
    ends = list_trunk_ends(cabling) if len(by_cable) >= LEAST_DARK_CABLES else None
    dark = {link for links in by_cable.values() for link in links}
    actions = []
    for links, places, name in list_trunk_links(ends) if ends else ():
        devices = [len(set(cabling.device[[2 * link + side for link in links]].tolist())) for side in (0, 1)]
        if dark.issuperset(links) and min(devices) > 1:
            cables = sorted({int(cabling.cable[link]) for link in links})
            for cable in cables:
                if remaining := [link for link in by_cable.pop(cable) if link not in links]:
                    by_cable[cable] = remaining
            near, far = (f"{end.device} ports {end.port} (rack {end.rack}, U{end.u})" for end in places)
            text = f"trunk {name} from {near} to {far}: none of the {len(cables)} cables through it is up: "
            text += "is it plugged in at both panels, and of the planned polarity?"
            actions.append(Action(Kind.DARK, 0, tuple(_list_cable_ids(topology, cables)), places, text))
    return actions


def _find_blind_sides(topology: SeenTopology, dark: Flags) -> list[tuple[int, str, list[int]]]:
    """(Device, fabrics and tiers, cables) of devices that none of their cables to a tier of a fabric joins with it,
    though others are up; those with the most cables first.
    """
    cabling = topology.cabling
    tier, fabric = cabling.devices["tier"], cabling.links["fabric"]
    blind_sides = []
    # a link has two ports, one after the other
    for device in np.unique(cabling.device[np.flatnonzero(np.repeat(dark, 2))]).tolist():
        sides: dict[str, list[int]] = defaultdict(list)
        for port in cabling.list_device_ports(device).tolist():
            # `port ^ 1` is the planned far end, `port >> 1` the link
            far_tier = tier.vocabulary[tier.codes[cabling.device[port ^ 1]]]
            sides[f"{fabric.vocabulary[fabric.codes[port >> 1]]} {far_tier}s"].append(port >> 1)
        cables = {side: set(cabling.cable[links].tolist()) for side, links in sides.items() if dark[links].all()}
        blind = {side: side_cables for side, side_cables in cables.items() if len(side_cables) >= LEAST_DARK_CABLES}
        if blind:
            blind_sides.append((device, " and ".join(sorted(blind)), sorted(set().union(*blind.values()))))
    # by device where numbers are equal, so that reports never differ from run to run
    return sorted(blind_sides, key=lambda blind_side: (-len(blind_side[2]), blind_side[0]))


def _make_side_action(topology: SeenTopology, device: int, tier: str, links: dict[int, list[int]]) -> Action:
    """All cables of a device to a tier; one goes to the device, where all of them end."""
    names = _list_cable_ids(topology, list(links))
    ends = _list_plugs(topology, [link for cable_links in links.values() for link in cable_links])
    own_ends = tuple(end for end in ends if end.device == topology.cabling.device_names[device])
    end = End(own_ends[0].device, "", own_ends[0].rack, own_ends[0].u)
    text = f"{describe_box(end)}: none of its {len(names)} cables to {tier} is up, and others are: {ASK_BATCH}"
    return Action(Kind.DARK, 0, tuple(names), own_ends, text)
