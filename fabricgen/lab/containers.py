"""What FRR runs of a build in containers: the part of it that a lab of network namespaces has, too."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fabricgen.export.table import FrrLab
from fabricgen.lab.files import Build
from fabricgen.lab.inside import cut_to_lab
from fabricgen.lab.start import list_interface_commands

MOST_PATHS = 64
"""Equal paths that FRR's image is built for (github.com/FRRouting/frr@fbfc8222, alpine/APKBUILD.in: multipath)."""


def plan_frr_lab(files: Mapping[str, str]) -> FrrLab:
    """What FRR runs of a build's lists and configurations, by path in the build."""
    cut = cut_to_lab(Build(files))
    build = cut.build
    conf = {name: _limit_paths(build.make_frr_config(name)) for name in build.switches}
    commands = {name: tuple(list_interface_commands(build, name)) for name in build.switches}
    ends = {(end.device, end.port) for link in build.links for end in (link.a, link.b)}
    hosts = {(end.device, end.port) for end in build.addresses if end.device not in conf}
    return FrrLab(conf, commands, ends, hosts, cut.left_out)


def _limit_paths(text: str) -> str:
    return re.sub(r"maximum-paths (\d+)", lambda match: f"maximum-paths {min(MOST_PATHS, int(match[1]))}", text)
