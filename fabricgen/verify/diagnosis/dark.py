"""Actions for cables at which nobody is seen: one a cable, or one for a device that sees nobody at all."""

from __future__ import annotations

import numpy as np

from fabricgen.verify.actions import Action, End, Kind
from fabricgen.verify.diagnosis.states import dark_links
from fabricgen.verify.diagnosis.topology import Topology
from fabricgen.verify.diagnosis.wording import box, end_of, plug


def dark_actions(topology: Topology, missing: list[int]) -> list[Action]:
    """What to do about dark cables; `missing` are planned ends whose cable is not there for other reasons."""
    cabling = topology.cabling
    links = np.flatnonzero(dark_links(topology))
    dark = {int(link): 2 * int(link) for link in links} | {end >> 1: end for end in missing}
    by_cable: dict[int, list[int]] = {}
    for link in sorted(dark):
        by_cable.setdefault(int(cabling.cable[link]), []).append(link)
    actions = []
    for device, cables in _blind_devices(topology, np.array(sorted(dark), dtype=np.int64)):
        ours = sorted(str(cabling.cable_ids[cable]) for cable in cables if by_cable.pop(cable, []))
        if ours:
            actions.append(_of_device(topology, device, ours))
    return actions + [_of_cable(topology, str(cabling.cable_ids[each]), found) for each, found in by_cable.items()]


def _of_cable(topology: Topology, cable: str, links: list[int]) -> Action:
    """A cable, or the tails of a breakout, by its dark links."""
    ports = [port for link in links for port in (2 * link, 2 * link + 1)]
    plugs = {int(topology.cabling.plug[port]): port for port in reversed(ports)}
    ends = tuple(end_of(topology, port) for port in sorted(plugs.values()))
    if len(ends) == 2:
        text = f"{plug(ends[0])} and {plug(ends[1])} do not see each other, nor anybody else: is the cable plugged in?"
    else:
        text = f"breakout {cable}: {len(ends) - 1} of its tails see nobody and are seen by nobody: is it plugged in?"
    return Action(Kind.DARK, 0, (cable,), ends, text)


def _blind_devices(topology: Topology, links: np.ndarray) -> list[tuple[int, list[int]]]:
    """Devices with two dark cables or more and no other, those with the most first, each with its cables.

    A few of its cables may be plugged into other devices, so that nobody can be seen there.
    """
    cabling = topology.cabling
    ends = np.r_[cabling.device[2 * links], cabling.device[2 * links + 1]]
    devices, dark = np.unique(ends, return_counts=True)
    found = []
    for device, count in zip(devices.tolist(), dark.tolist(), strict=True):
        ports = cabling.ports_of_device(device)
        is_blind = count == len(ports) or (2 * count > len(ports) and _is_gone(topology, device, ports))
        cables = sorted(set(cabling.cable[ports >> 1].tolist())) if is_blind else []
        if len(cables) > 1:
            found.append((device, cables))
    return sorted(found, key=lambda each: (-len(each[1]), each[0]))


def _is_gone(topology: Topology, device: int, ports: np.ndarray) -> bool:
    """Whether nobody sees a device, nor it anybody."""
    own = topology.ports_of(device)
    sees = any(topology.mate[port] >= 0 or topology.towards[port] >= 0 or topology.odd[port] for port in own)
    return not sees and not bool((topology.towards[ports ^ 1] == device).any())


def _of_device(topology: Topology, device: int, cables: list[str]) -> Action:
    end = End(topology.cabling.device_names[device], "", *topology.cabling.rack_of(device))
    text = f"{box(end)} sees nobody and is seen by nobody ({len(cables)} cables): is it powered?"
    return Action(Kind.DARK, 0, tuple(cables), (end,), text)
