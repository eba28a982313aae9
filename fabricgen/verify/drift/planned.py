"""Planned configurations of devices: rendered from a blueprint without secrets, or as a build wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import fault
from fabricgen.publish.reading import Built, open_built
from fabricgen.render.engine import list_subjects, make_render_options, make_subject_renderer
from fabricgen.render.nos_protocol import known_nos
from fabricgen.running.statements import find_nos
from fabricgen.verify.drift.collected import CODE


class PlannedConfigs(Protocol):
    """A source of planned configurations: a blueprint, or a built folder."""

    def list_devices(self) -> tuple[str, ...]:
        """Return the devices that have a configuration, sorted."""

    def read(self, devices: Iterable[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield (device, its files by name) of some devices."""


@dataclass(frozen=True)
class RenderedConfigs:
    """Configurations of a blueprint's switches, rendered when asked for."""

    cluster: Cluster

    def list_devices(self) -> tuple[str, ...]:
        """Return the switches whose NOS has templates, sorted."""
        nos_names, devices = known_nos(whole_fabric=False), self.cluster.plan.devices
        rows = self.cluster.switch_rows()
        return tuple(
            sorted(self.cluster.names[r] for r in rows if devices.classes[devices.device_class[r]].nos in nos_names)
        )

    def read(self, devices: Iterable[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Render and yield the files of some switches, with references in place of secrets."""
        subjects = list_subjects(self.cluster)
        names = list(devices)
        files = make_subject_renderer(
            self.cluster, [subjects[name] for name in names], make_render_options(self.cluster)
        )
        for name in names:
            yield name, {path.rpartition("/")[2]: text.decode() for path, text in files(subjects[name])}


@dataclass(frozen=True)
class BuildConfigs:
    """Configurations of a built folder, as the build wrote them."""

    built: Built
    paths: Mapping[str, tuple[str, ...]]

    def list_devices(self) -> tuple[str, ...]:
        """Return the devices that have a folder with configuration files of a switch, sorted."""
        return tuple(sorted(self.paths))

    def read(self, devices: Iterable[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield the files of some devices; raises InputError (FG028, FG054) for a file that is not as it was built."""
        for name in devices:
            yield name, {path.rpartition("/")[2]: self.built.read_as_built(path).decode() for path in self.paths[name]}


def read_build(folder: str) -> BuildConfigs:
    """Open the configurations of a built folder; raises InputError (FG028, FG144) if it has none."""
    built = open_built(Path(folder))
    paths_by_device: dict[str, list[str]] = {}
    paths = built.entries or (p.relative_to(folder).as_posix() for p in sorted(Path(folder).glob("configs/*/*")))
    for path in sorted(paths):
        part, _, device_and_name = path.partition("/")
        device, _, name = device_and_name.partition("/")
        if part == "configs" and find_nos([name]):
            paths_by_device.setdefault(device, []).append(path)
    if not paths_by_device:
        raise fault(CODE, f"'{folder}' has no configurations", hint="build it with its part `configs`")
    return BuildConfigs(built, {name: tuple(paths) for name, paths in paths_by_device.items()})
