"""What a NetBox tells `adopt`: which devices there are, what each is and where, and which ports cables join."""

from __future__ import annotations

from collections.abc import Collection

from fabricgen.adopt.facts import DeviceFacts, End, Facts, Link
from fabricgen.kernel.diagnostics import fault
from fabricgen.push.client import NetBox
from fabricgen.push.reading import NetboxPort, NetboxReading
from fabricgen.verify.sightings import cap_notes, format_count, list_few


def read_netbox_facts(netbox: NetBox, sites: Collection[str] | None) -> Facts:
    """Return the devices with interfaces and the cables of some sites, None for all; notes tell what is left out, and
    why.

    Raises InputError (FG164) for a NetBox that cannot be read, for a site that it does not have, and for two devices
    with one name.
    """
    reading = NetboxReading(netbox, sites)
    if reading.missing:
        raise fault("FG164", f"{netbox.url} has no site {list_few(reading.missing)}", hint="sites go by their names")
    linked = {port.device for port in reading.labels}
    devices: dict[str, DeviceFacts] = {}
    for device in reading.devices:
        if device.name in devices and device.name in linked:
            places = f"at {devices[device.name].site} and at {device.site}"
            raise fault("FG164", f"two devices are called {device.name}, {places}", hint="say which sites: --site NAME")
        devices[device.name] = DeviceFacts(device.name, device.model, device.platform, device.site, device.rack)
    links, several, open_ends = list[Link](), list[str](), list[str]()
    for cable in reading.list_cables():
        if len(cable.a) == len(cable.b) == 1:
            a, b = sorted(End(*side[0]) for side in (cable.a, cable.b))
            links.append(Link(a, b, netbox.url))
        elif cable.a and cable.b:
            why = "has several ports at an end, and no profile says which belong together"
            several.append(f"the cable at {_name_port(cable.a[0])} {why}")
        elif cable.a or cable.b:
            near = (cable.a or cable.b)[0]
            open_ends.append(f"the cable at {_name_port(near)} leads to no interface at these sites")
    notes = [
        *cap_notes(several, "cables with several ports at an end"),
        *cap_notes(open_ends, "cables to no interface"),
    ]
    if others := sorted(devices.keys() - linked):
        are = "is" if len(others) == 1 else "are"
        count = format_count(len(others), "device")
        notes.append(f"{count} of NetBox without interfaces {are} left out: {list_few(others)}")
    return Facts(tuple(links), {name: devices[name] for name in devices if name in linked}, (), tuple(notes))


def _name_port(port: NetboxPort) -> str:
    return f"{port.device} port {port.name}"
