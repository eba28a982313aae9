"""Actions for cables at which nobody is seen, one for each cause: a device, its cables to a tier, a trunk, a cable."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from fabricgen.verify.actions import Action, End, Kind
from fabricgen.verify.diagnosis.states import find_dark_links
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.verify.diagnosis.trunks import list_trunk_ends, list_trunk_links
from fabricgen.verify.diagnosis.wording import describe_box, describe_plug, make_end
from fabricgen.wiring.arrays import Flags, Ints64

ASK_BATCH = "are these of one batch, of another polarity or kind than planned, or are their ports shut?"
LEAST_DARK_CABLES = 2
"""The least dark cables of a device that may have one cause; a single one is reported as a cable."""


def list_dark_actions(topology: SeenTopology, ends_without_cable: list[int]) -> list[Action]:
    """List what to do about dark cables.

    `ends_without_cable` are planned ends (ports) whose cable is missing, although another cable may be in its place.
    """
    cabling = topology.cabling
    dark = find_dark_links(topology)
    # `port >> 1` is the link of a port
    dark[[end >> 1 for end in ends_without_cable]] = True
    links = np.flatnonzero(dark)
    by_cable: dict[int, list[int]] = {}
    for link in links.tolist():
        by_cable.setdefault(int(cabling.cable[link]), []).append(link)
    actions = []
    # one cause for many cables first: cables that a dark device explains are not reported again by tier or one by one
    for device, cables, _, unseen in _find_blind_devices(topology, links):
        dark_cables = [cable for cable in cables if cable in by_cable]
        if len(dark_cables) < LEAST_DARK_CABLES:
            continue
        for cable in dark_cables:  # links of the same cable to other devices still have to be explained
            other_links = [
                link for link in by_cable.pop(cable) if device not in cabling.device[[2 * link, 2 * link + 1]]
            ]
            if other_links:
                by_cable[cable] = other_links
        actions.append(_make_device_action(topology, device, dark_cables, unseen))
    actions += _take_blind_trunks(topology, by_cable)
    for device, cables, tiers, _ in _find_blind_tiers(topology, dark):
        dark_cables = [cable for cable in cables if cable in by_cable]
        if len(dark_cables) >= LEAST_DARK_CABLES:
            actions.append(
                _make_tier_action(topology, device, tiers, {cable: by_cable.pop(cable) for cable in dark_cables})
            )
    return actions + [_make_cable_action(topology, cable, links) for cable, links in by_cable.items()]


def _list_cable_ids(topology: SeenTopology, cables: list[int]) -> list[str]:
    """Return the ids of cables, sorted."""
    return sorted(str(topology.cabling.cable_ids[cable]) for cable in cables)


def _make_cable_action(topology: SeenTopology, cable: int, links: list[int]) -> Action:
    """Make the action for the dark links of one cable: the cable, some of its jumpers, or the tails of a breakout.

    Its text says which of these, and what to look at: a missing cable, one half of a module, or every plug.
    """
    plug_ends = _list_plugs(topology, links)
    name = str(topology.cabling.cable_ids[cable])
    # `_list_plugs` lists both ends of each jumper
    tail_count, jumper_count = _count_tails(topology, links), len(plug_ends) // 2
    near_plug, far_plug = (describe_plug(end) for end in plug_ends[:2])
    if tail_count:
        text = f"breakout {name}: {tail_count} of its tails see nobody and are seen by nobody: is it plugged in?"
    elif jumper_count == 1 and any(topology.joined_to[port] >= 0 for port in (2 * links[0], 2 * links[0] + 1)):
        text = f"the cable from {near_plug} to {far_plug} is missing: what is plugged there belongs elsewhere"
    elif jumper_count == 1 and (lit_connector := _find_lit_half(topology, 2 * links[0])):
        text = f"{near_plug} and {far_plug} do not see each other, though the other half of the module, {lit_connector}"
        text += ", is up: look at this jumper's polarity, for dirt, and whether it sits"
    elif jumper_count == 1:
        text = f"{near_plug} and {far_plug} do not see each other, nor anybody else: is the cable plugged in?"
    else:
        text = f"cable {name}: none of its {jumper_count} jumpers is up, from {near_plug} and {far_plug} on: "
        text += "are the modules in, and the jumpers plugged in?"
    return Action(Kind.DARK, 0, (name,), plug_ends, text if text.endswith("?") else f"{text}.")


def _list_plugs(topology: SeenTopology, links: list[int]) -> tuple[End, ...]:
    """Return the plugs of some links, each once, in the order of their ports."""
    plugs = topology.cabling.plug
    # the lowest port of a plug is written last, and stays
    first_ports = {int(plugs[port]): port for link in reversed(links) for port in (2 * link + 1, 2 * link)}
    return tuple(make_end(topology, port) for port in sorted(first_ports.values()))


def _count_tails(topology: SeenTopology, links: list[int]) -> int:
    """Count the tails of splitters that the links of a cable run over; 0 if it is made of jumpers."""
    plugs, cabling = topology.cabling.plug, topology.cabling
    for port in (2 * links[0], 2 * links[0] + 1):
        if len({int(plugs[lane ^ 1]) for lane in cabling.list_plug_ports(int(plugs[port]))}) > 1:
            # `port & 1` is the end (a or b) of the common plug; the tails are at the other end of each link
            common_end = port & 1
            return len({int(plugs[(2 * link + common_end) ^ 1]) for link in links})
    return 0


def _find_lit_half(topology: SeenTopology, port: int) -> str:
    """Return DEVICE:CONNECTOR of another plug in the cage of a dark link, at either end, that is up; "" if none is."""
    cabling = topology.cabling
    for end in (port, port ^ 1):
        cage, dark_plug = cabling.find_cage(end), int(cabling.plug[end])
        for other_port in cabling.list_device_ports(int(cabling.device[end])).tolist():
            if (
                topology.joined_to[other_port] >= 0
                and int(cabling.plug[other_port]) != dark_plug
                and cabling.find_cage(other_port) == cage
            ):
                return f"{cabling.device_names[cabling.device[end]]}:{cabling.connector_text(other_port)}"
    return ""


class _BlindDevice(NamedTuple):
    """A device (row), and its dark cables (indexes into `cable_ids`): all of them, or all to some tiers.

    `_find_blind_tiers` says which tiers, such as `compute spines and storage spines`; `_find_blind_devices` how many
    other cables of the device are `unseen`: no dump tells anything about them.
    """

    device: int
    cables: list[int]
    tiers: str = ""
    unseen: int = 0


def _find_blind_devices(topology: SeenTopology, links: Ints64) -> list[_BlindDevice]:
    """Find devices whose links are all dark, leaving aside links that nothing is known about; most dark cables first.

    It is enough that more than half of the links are dark if the device sees nobody and nobody sees it: the others are
    plugged elsewhere. A device has at least two dark cables. `links` (int64) are the dark links.
    """
    cabling = topology.cabling
    ends = np.r_[cabling.device[2 * links], cabling.device[2 * links + 1]]
    devices, dark = np.unique(ends, return_counts=True)
    is_dark = np.zeros(topology.first_spare // 2, dtype=bool)
    is_dark[links] = True
    blind_devices = []
    for device, count in zip(devices.tolist(), dark.tolist(), strict=True):
        ports = cabling.list_device_ports(device)
        unseen = ports[[not is_dark[port >> 1] and topology.is_unseen(port) for port in ports.tolist()]]
        looked_at = len(ports) - len(unseen)
        # a silent device is one cause even if some of its cables are elsewhere; if half of them or fewer are dark, each
        # cable is reported by itself
        if count == looked_at or (2 * count > looked_at and _is_gone(topology, device, ports)):
            cables = sorted(set(cabling.cable[ports[is_dark[ports >> 1]] >> 1].tolist()))
            unseen_cables = len(set(cabling.cable[unseen >> 1].tolist()) - set(cables))
            if len(cables) >= LEAST_DARK_CABLES:
                blind_devices.append(_BlindDevice(device, cables, unseen=unseen_cables))
    return sorted(blind_devices, key=lambda blind_device: (-len(blind_device.cables), blind_device.device))


def _is_gone(topology: SeenTopology, device: int, ports: Ints64) -> bool:
    """Whether a device sees nobody and nobody sees it; `ports` are its planned ports."""
    all_ports = topology.list_ports(device)
    sees = any(topology.joined_to[port] >= 0 or topology.towards[port] >= 0 or topology.odd[port] for port in all_ports)
    # a planned far end may see the device without knowing the port
    return not sees and not bool((topology.towards[ports ^ 1] == device).any())


def _make_device_action(topology: SeenTopology, device: int, cables: list[int], unseen: int) -> Action:
    """Make the action for a blind device: check its power if it has no dump of its own, else look at its plugs."""
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
    """Make an action for each trunk whose links are all dark and belong to several devices at both ends.

    These links are taken out of `by_cable`, which has the dark links of each cable that are not explained yet.
    """
    cabling = topology.cabling
    trunk_ends = list_trunk_ends(cabling) if len(by_cable) >= LEAST_DARK_CABLES else None
    dark_links = {link for links in by_cable.values() for link in links}
    actions = []
    for links, panel_ends, name in list_trunk_links(trunk_ends) if trunk_ends else ():
        # how many devices are at the a ends and at the b ends of the links
        device_counts = [len(set(cabling.device[[2 * link + end for link in links]].tolist())) for end in (0, 1)]
        if dark_links.issuperset(links) and min(device_counts) > 1:
            cables = sorted({int(cabling.cable[link]) for link in links})
            for cable in cables:
                if links_outside := [link for link in by_cable.pop(cable) if link not in links]:
                    by_cable[cable] = links_outside
            near_panel, far_panel = (f"{end.device} ports {end.port} (rack {end.rack}, U{end.u})" for end in panel_ends)
            text = f"trunk {name} from {near_panel} to {far_panel}: none of the {len(cables)} cables through it is up: "
            text += "is it plugged in at both panels, and of the planned polarity?"
            actions.append(Action(Kind.DARK, 0, tuple(_list_cable_ids(topology, cables)), panel_ends, text))
    return actions


def _find_blind_tiers(topology: SeenTopology, dark: Flags) -> list[_BlindDevice]:
    """Find devices of which all cables to a tier of a fabric are dark, two cables or more; most cables first."""
    cabling = topology.cabling
    tier, fabric = cabling.devices["tier"], cabling.links["fabric"]
    blind_tiers = []
    # a link has two ports, one after the other
    for device in np.unique(cabling.device[np.flatnonzero(np.repeat(dark, 2))]).tolist():
        links_by_tier: dict[str, list[int]] = defaultdict(list)
        for port in cabling.list_device_ports(device).tolist():
            # `port ^ 1` is the planned far end, `port >> 1` the link
            far_tier = tier.vocabulary[tier.codes[cabling.device[port ^ 1]]]
            links_by_tier[f"{fabric.vocabulary[fabric.codes[port >> 1]]} {far_tier}s"].append(port >> 1)
        cables = {
            name: set(cabling.cable[links].tolist()) for name, links in links_by_tier.items() if dark[links].all()
        }
        blind = {name: dark_cables for name, dark_cables in cables.items() if len(dark_cables) >= LEAST_DARK_CABLES}
        if blind:
            cables_of_tiers = sorted(set().union(*blind.values()))
            blind_tiers.append(_BlindDevice(device, cables_of_tiers, " and ".join(sorted(blind))))
    # devices with equally many cables are sorted by row, so that reports never differ from run to run
    return sorted(blind_tiers, key=lambda blind_tier: (-len(blind_tier.cables), blind_tier.device))


def _make_tier_action(topology: SeenTopology, device: int, tiers: str, links: dict[int, list[int]]) -> Action:
    """Make the action for all cables of a device to some tiers; `links` has their dark links by cable.

    Its ends are those at the device, where all the cables meet.
    """
    names = _list_cable_ids(topology, list(links))
    ends = _list_plugs(topology, [link for cable_links in links.values() for link in cable_links])
    device_ends = tuple(end for end in ends if end.device == topology.cabling.device_names[device])
    end = End(device_ends[0].device, "", device_ends[0].rack, device_ends[0].u)
    text = f"{describe_box(end)}: none of its {len(names)} cables to {tiers} is up, and others are: {ASK_BATCH}"
    return Action(Kind.DARK, 0, tuple(names), device_ends, text)
