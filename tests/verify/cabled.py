"""A hall that was cabled after an example blueprint, with faults, and what its devices say of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from fabricgen.cluster import Cluster
from fabricgen.export.files import links
from tests.conftest import example_cluster

Port = tuple[str, str]


@cache
def _planned(name: str) -> tuple[tuple[Port, Port], ...]:
    return _links_of(example_cluster(name))


def _links_of(cluster: Cluster) -> tuple[tuple[Port, Port], ...]:
    columns = links.make_table(cluster).columns
    ends = [zip(columns[f"{side}_device"], columns[f"{side}_port"], strict=True) for side in "ab"]
    return tuple((tuple(map(str, a)), tuple(map(str, b))) for a, b in zip(*ends, strict=True))  # type: ignore[misc]


class CabledHall:
    """Which port sees which, to be changed by hand."""

    def __init__(self, plan: str | Cluster) -> None:
        self.sees: dict[Port, Port] = {}
        for a, b in _planned(plan) if isinstance(plan, str) else _links_of(plan):
            self.sees |= {a: b, b: a}

    def swap(self, device: str, one: str, other: str) -> CabledHall:
        """Exchange two plugs of a device."""
        a, b = (device, one), (device, other)
        far_a, far_b = self.sees[a], self.sees[b]
        self.sees |= {a: far_b, b: far_a, far_a: b, far_b: a}
        return self

    def cut(self, device: str, port: str) -> CabledHall:
        """Pull a cable at both ends."""
        del self.sees[self.sees.pop((device, port))]
        return self

    def rows(self, devices: Iterable[str] = ()) -> list[tuple[str, str, str, str]]:
        """(device, port, neighbour, its port) of some devices, of all by default."""
        wanted = set(devices)
        return [(*port, *far) for port, far in sorted(self.sees.items()) if not wanted or port[0] in wanted]

    def csv(self, file: Path, devices: Iterable[str] = ()) -> Path:
        """A plain list."""
        lines = ["device,port,neighbor,neighbor_port", *map(",".join, self.rows(devices))]
        file.write_text("\n".join([*lines, ""]), encoding="utf-8")
        return file

    def lldpctl(
        self,
        folder: Path,
        devices: Iterable[str] = (),
        names: Callable[[str], str] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> Path:
        """A file a device, DEVICE.json, as `lldpctl -f json0` prints it (lldpd 1.0.x).

        With `names`, devices have those host names. `files` are called otherwise.
        """
        folder.mkdir(parents=True, exist_ok=True)
        told: dict[str, list[object]] = {}
        number = {name: at for at, name in enumerate(sorted({device for device, _ in self.sees}), start=1)}
        for device, port, far, far_port in self.rows(devices):
            chassis = {
                "name": [{"value": names(far) if names else far}],
                "id": [{"type": "mac", "value": f"0a:00:00:00:00:{number.get(far, 0):02x}"}],
            }
            its = {"id": [{"type": "ifname", "value": far_port}]}
            interface = {"name": port, "via": "LLDP", "chassis": [chassis], "port": [its]}
            told.setdefault(device, []).append(interface)
        for device, interfaces in told.items():
            text = json.dumps({"lldp": [{"interface": interfaces}]}, indent=1)
            (folder / f"{(files or {}).get(device, device)}.json").write_text(text, encoding="utf-8")
        return folder
