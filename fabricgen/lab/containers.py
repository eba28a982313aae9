"""What FRR runs of a build in containers: the part of it that a lab of network namespaces has, too."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fabricgen.export.table import FrrLab
from fabricgen.lab.files import Build
from fabricgen.lab.inside import inside
from fabricgen.lab.start import interfaces

MOST_PATHS = 64
"""Equal paths that FRR's image is built for (github.com/FRRouting/frr@fbfc8222, alpine/APKBUILD.in: multipath)."""


def in_frr(files: Mapping[str, str]) -> FrrLab:
    """What FRR runs of a build's lists and configurations, by path in the build."""
    made = inside(Build(files))
    build = made.build
    conf = {name: _fewer_paths(build.frr(name)) for name in build.switches}
    commands = {name: tuple(interfaces(build, name)) for name in build.switches}
    ends = {(end.device, end.port) for link in build.links for end in (link.a, link.b)}
    hosts = {(end.device, end.port) for end in build.addresses if end.device not in conf}
    return FrrLab(conf, commands, ends, hosts, made.left_out)


def _fewer_paths(text: str) -> str:
    return re.sub(r"maximum-paths (\d+)", lambda found: f"maximum-paths {min(MOST_PATHS, int(found[1]))}", text)
