"""Writers of what devices say of their neighbours, one module a format.

Each is `write(seen, ...)` from what the ports of a hall see (`Hall.seen`) to the text of each file by its name, so that
one hall can be told in every language. Files of one device are called after it, as an engineer would call them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.hall.plan import Port

Seen = Mapping[Port, Port | None]


def by_device(seen: Seen, devices: Iterable[str] | None = None) -> dict[str, list[tuple[str, Port | None]]]:
    """The ports of each device and what they see, of some devices or all, sorted."""
    wanted = None if devices is None else set(devices)
    ports: dict[str, list[tuple[str, Port | None]]] = {}
    for (device, port), far in sorted(seen.items()):
        if wanted is None or device in wanted:
            ports.setdefault(device, []).append((port, far))
    return ports


def mac(device: str, devices: Iterable[str]) -> str:
    """A MAC of a device, by its place among all names."""
    number = sorted(devices).index(device)
    return "0a:00:00:" + ":".join(f"{number:06x}"[at : at + 2] for at in (0, 2, 4))
