"""Writers of what devices say of their neighbours, one module for each format.

Each has `write(seen, devices)`, or `write_subnet(seen, switches)` for an InfiniBand subnet. They turn what the ports of
a hall see (`Hall.list_sightings`) into the text of each file by its name, so that one hall can be written in every
format. Files of one device are named after it, as an engineer would name them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from fabricgen.addons.emulation.plan import Port

Seen = Mapping[Port, Port | None]
"""The port that each port sees at the far end of its cable, both as (device, port); None if it sees nothing."""

NATIVE = "native"
"""Stands for the format of each device's own NOS, else that of lldpd; for subnets the format of `ibnetdiscover`."""
FORMATS = tuple(sorted(name.replace("_", "-") for _, name, _ in iter_modules(__path__) if not name.startswith("_")))


def load_writer(form: str) -> ModuleType:
    """Return the module that writes a format, such as `ufm-ndt`; raises ImportError if there is none."""
    return import_module(f"{__name__}.{form.replace('-', '_')}")


def group_by_device(seen: Seen, devices: Iterable[str] | None = None) -> dict[str, list[tuple[str, Port | None]]]:
    """Return {device: [(port, the port that it sees, or None)]}; devices and their ports are sorted.

    `seen` has the port that each port sees, None if it sees nothing. Only `devices` are returned, all if it is None.
    """
    wanted = None if devices is None else set(devices)
    ports: dict[str, list[tuple[str, Port | None]]] = {}
    for (device, port), seen_port in sorted(seen.items()):
        if wanted is None or device in wanted:
            ports.setdefault(device, []).append((port, seen_port))
    return ports


def number_macs(seen: Seen) -> dict[str, str]:
    """Return a MAC for each device that `seen` names, by its position among the sorted names: `0a:00:00:00:00:01`."""
    digits = {name: f"{number:06x}" for number, name in enumerate(sorted({device for device, _ in seen}))}
    return {name: f"0a:00:00:{text[:2]}:{text[2:4]}:{text[4:]}" for name, text in digits.items()}
