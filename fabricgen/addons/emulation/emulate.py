"""A hall on paper of a cluster: its plan, random faults, and what its devices say of their neighbours."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from random import Random

from fabricgen.addons.emulation.dumps import FORMATS, NATIVE, Seen, load_writer
from fabricgen.addons.emulation.dumps._subnet import SwitchFace
from fabricgen.addons.emulation.faults import FAULTS
from fabricgen.addons.emulation.faults.laid import Laid
from fabricgen.addons.emulation.model import Hall
from fabricgen.addons.emulation.plan import PARTS, Port, read_plan
from fabricgen.api import ClusterView, make_files

OF_HOSTS, OF_SUBNETS = "lldpctl", "ibnetdiscover"
TRIES = 3
"""How often each kind of fault is tried before the hall counts as having no room for one."""
_LLDP, _SUBNET = "lldp", "subnet"


@dataclass(frozen=True)
class EmulatedHall:
    """A hall, and the faults that were laid into it, in order."""

    view: ClusterView
    hall: Hall
    laid: tuple[Laid, ...]

    @cached_property
    def _subnets(self) -> dict[str, dict[str, SwitchFace]]:
        """The switches of each InfiniBand fabric by the names they call themselves, with the face of each."""
        plan, splits = self.hall.plan, dict[tuple[str, str], dict[str, int]]()
        for socket, ports in plan.ports.items():
            row = plan.devices[socket.device]
            of_tier = splits.setdefault((row["fabric"], row["tier"]), {})
            # a cage with two connectors has them split alike
            of_tier[socket.cage] = max(len(ports) * (2 if socket.connector else 1), of_tier.get(socket.cage, 1))
        links, rates = self.view.links, defaultdict[str, dict[str, tuple[int, float]]](dict)
        for ends in (zip(links.a_device, links.a_port, strict=True), zip(links.b_device, links.b_port, strict=True)):
            for (place, name), gbps, lane_gbps in zip(ends, links.speed_gbps, links.lane_gbps, strict=True):
                rates[place][name] = ceil(gbps / lane_gbps), lane_gbps
        subnets: dict[str, dict[str, SwitchFace]] = {}
        for place, row in plan.devices.items():
            if self.view.protocols.get(row["fabric"]) == "infiniband" and row["tier"] != "node":
                face = SwitchFace(row["model"], splits[row["fabric"], row["tier"]], rates[place])
                subnets.setdefault(row["fabric"], {})[self.hall.names[place]] = face
        return subnets

    @cached_property
    def _seen_by_way(self) -> dict[str, Seen]:
        """What each port sees, by how it is told: by LLDP, by the subnet manager, or not at all ("", for scale-up
        domains).
        """
        plan, seen_by_way = self.hall.plan, dict[str, dict[Port, Port | None]]()
        place_of = {name: place for place, name in self.hall.names.items()}
        way_of_fabric = {
            fabric: _SUBNET if kind == "infiniband" else _LLDP for fabric, kind in self.view.protocols.items()
        }
        for port, far_port in self.hall.list_sightings().items():
            # a port that the plan does not use tells by the fabric of its device
            row = plan.row_of.get(port) or plan.devices[place_of[port[0]]]
            seen_by_way.setdefault(way_of_fabric.get(row["fabric"], ""), {})[port] = far_port
        return {_LLDP: {}, _SUBNET: {}, **seen_by_way}

    def write_dumps(self, form: str = NATIVE) -> dict[str, str]:
        """Return the text of each dump by file name, in a format of `dumps`, or with each device in its own format.

        Empty if the cluster has no network that the format can describe.
        """
        if form != NATIVE:
            return self._write_in(form)
        names_by_format: dict[str, list[str]] = {}
        for place, name in self.hall.names.items():
            nos = self.hall.plan.devices[place]["nos"]
            names_by_format.setdefault(nos if nos in FORMATS else OF_HOSTS, []).append(name)
        files = self._write_in(OF_SUBNETS)
        for device_format, names in sorted(names_by_format.items()):
            files |= self._write_in(device_format, names)
        return files

    def _write_in(self, form: str, devices: list[str] | None = None) -> dict[str, str]:
        """Return dumps in one format, by file name.

        They are of whole fabrics if subnet managers write the format, of the whole hall for `mac-tables`, else of
        `devices`, all if it is None. There are none if no port sees what the format tells.
        """
        module = load_writer(form)
        if hasattr(module, "write_subnet"):
            seen = self._seen_by_way[_SUBNET]
            of_fabric = ((fabric, module.write_subnet(seen, self._subnets[fabric])) for fabric in self._subnets)
            return {f"{fabric}-{name}": text for fabric, files in of_fabric for name, text in files.items()}
        if hasattr(module, "write_hall"):
            nos = {name: self.hall.plan.devices[place]["nos"] for place, name in self.hall.names.items()}
            hall_files: dict[str, str] = module.write_hall(self._seen_by_way[_LLDP], nos)
            return hall_files
        seen = {**self._seen_by_way[_LLDP], **(self._seen_by_way[_SUBNET] if hasattr(module, "OF_ALL") else {})}
        files: dict[str, str] = module.write(seen, devices) if seen else {}
        return files


def emulate_hall(view: ClusterView, faults: int = 0, seed: int = 0) -> EmulatedHall:
    """Return the hall of a cluster with this many faults, the same for a seed on every machine.

    No two faults touch one device. Raises InputError (FG176) if the cluster has too few devices for the faults.
    """
    hall = Hall(read_plan(make_files(view, *PARTS)))
    random, laid = Random(f"emulate {seed}"), list[Laid]()  # noqa: S311 - the same faults for everyone, no secret
    touched = set[str]()
    while len(laid) < faults:
        outcome = _lay_fault(hall, random, touched)
        if outcome is None:
            raise view.refuse("FG176", f"{view.name} takes {len(laid)} faults, and not {faults}", hint="ask for fewer")
        hall, fault = outcome
        laid.append(fault)
    return EmulatedHall(view, hall, tuple(laid))


def _lay_fault(hall: Hall, random: Random, touched: set[str]) -> tuple[Hall, Laid] | None:
    """Return the hall with one more fault, and the fault, of the first kind by chance that affects only untouched
    devices.

    Its devices are added to `touched`. None if no kind fits in a few tries.
    """
    for lay in random.sample([*FAULTS.values()] * TRIES, TRIES * len(FAULTS)):
        changed = hall.copy()
        fault = lay(changed, random)
        devices = _list_changed_devices(hall, changed) if fault else set()
        if fault and not devices & touched:
            touched |= devices
            return changed, fault
    return None


def _list_changed_devices(old_hall: Hall, new_hall: Hall) -> set[str]:
    """Return the places whose box, power, plugs or cords differ between two halls.

    For a changed cord, these are the places of all its ends; for a moved plug, where it was and where it is now. `^`
    gives what is in one set only.
    """
    plan, devices = old_hall.plan, old_hall.off ^ new_hall.off
    devices |= {place for place, name in new_hall.names.items() if old_hall.names[place] != name}
    cords = (old_hall.bad ^ new_hall.bad) | {
        cord for cord, far_half in new_hall.halves.items() if old_hall.halves.get(cord) != far_half
    }
    devices |= {home.device for cord in cords for home in plan.cords[cord].homes}
    moved = (plug for plug in plan.list_plugs() if old_hall.at.get(plug) != new_hall.at.get(plug))
    return devices | {place.device for plug in moved for hall in (old_hall, new_hall) if (place := hall.at.get(plug))}
