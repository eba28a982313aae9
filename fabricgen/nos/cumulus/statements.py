"""A startup.yaml, or what `nv config show` prints, as statements: every leaf of NVUE's tree, as it takes effect.

What a neighbour has from its peer group is stated of the neighbour, and the AS number and router id that a VRF has from
`router bgp` of the VRF: NVUE says them in one place or the other ("The BGP neighbor inherits the group's
configuration", NVUE Command Reference, BGP).
"""

from __future__ import annotations

import io
from collections.abc import Mapping

from ruamel.yaml import YAML

from fabricgen.nos.cumulus.reading.spelling import make_tree, read_settings
from fabricgen.running.statements import Path, Statements

FILE = "startup.yaml"

FILES = (FILE,)
AUTO = "auto"
"""The value of a setting that a neighbour or group takes from above it."""

_OWN = ("description",)
"""Settings of a group that its neighbours do not inherit."""
_OF_ROUTER = ("autonomous-system", "router-id")


def read_statements(files: Mapping[str, str]) -> Statements:
    """Return the statements of `startup.yaml`, in whatever form NVUE shows it; raises as `read_settings` does."""
    return inherit_settings(read_settings(files[FILE]))


def inherit_settings(settings: Statements) -> Statements:
    """Return the settings of `read_settings` with inherited ones filled in: VRFs take the AS number and router id from
    `router bgp`, and BGP neighbours all but the description from their peer group.

    A peer group that has neighbours keeps its description alone.
    """
    bgp_by_vrf: dict[Path, Statements] = {}
    effective: Statements = {}
    for path, value in settings.items():
        if path[0] == "vrf" and path[2:4] == ("router", "bgp"):
            bgp_by_vrf.setdefault(path[:4], {})[path[4:]] = value
        else:
            effective[path] = value
    for vrf_path, bgp in bgp_by_vrf.items():
        for key in _OF_ROUTER:
            if inherited := settings.get(("router", "bgp", key)):
                bgp.setdefault((key,), inherited)
        effective |= {(*vrf_path, *path): value for path, value in _inherit_from_groups(bgp).items()}
    return effective


def files_of(statements: Statements) -> dict[str, str]:
    """Return `startup.yaml` with these statements."""
    text = io.StringIO()
    YAML(typ="safe").dump([{"set": make_tree(statements)}], text)
    return {FILE: text.getvalue()}


def _inherit_from_groups(bgp: Statements) -> Statements:
    """Return the BGP settings of a VRF, by path below its `router bgp`, with those of peer groups at the neighbours.

    A group that has neighbours loses its own copy, except its description. Values `auto` of neighbours and groups are
    left out.
    """
    settings = {
        path: value for path, value in bgp.items() if path[0] not in ("neighbor", "peer-group") or value != AUTO
    }
    groups: dict[str, Statements] = {}
    for path, value in settings.items():
        if path[0] == "peer-group" and len(path) > 2 and path[2:] != _OWN:
            groups.setdefault(path[1], {})[path[2:]] = value
    group_of_neighbor = {
        path[1]: group for path, group in settings.items() if path[0] == "neighbor" and path[2:] == ("peer-group",)
    }
    for neighbor, group in group_of_neighbor.items():
        for group_path, value in groups.get(group, {}).items():
            settings.setdefault(("neighbor", neighbor, *group_path), value)
    for group in {*group_of_neighbor.values()} & groups.keys():
        for group_path in groups[group]:
            del settings[("peer-group", group, *group_path)]
    return settings
