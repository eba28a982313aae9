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
    """Return settings, as `read_settings` gives them, as they take effect: with what one takes from another."""
    sessions: dict[Path, Statements] = {}
    effects: Statements = {}
    for path, value in settings.items():
        if path[0] == "vrf" and path[2:4] == ("router", "bgp"):
            sessions.setdefault(path[:4], {})[path[4:]] = value
        else:
            effects[path] = value
    for vrf, session in sessions.items():
        for word in _OF_ROUTER:
            if above := settings.get(("router", "bgp", word)):
                session.setdefault((word,), above)
        effects |= {(*vrf, *path): value for path, value in _inherit_from_groups(session).items()}
    return effects


def files_of(statements: Statements) -> dict[str, str]:
    """Return `startup.yaml` with these statements."""
    text = io.StringIO()
    YAML(typ="safe").dump([{"set": make_tree(statements)}], text)
    return {FILE: text.getvalue()}


def _inherit_from_groups(bgp: Statements) -> Statements:
    """Return BGP of a VRF with the settings of peer groups stated at their neighbours; a group without neighbours keeps
    them.
    """
    settings = {
        path: value for path, value in bgp.items() if path[0] not in ("neighbor", "peer-group") or value != AUTO
    }
    groups: dict[str, Statements] = {}
    for path, value in settings.items():
        if path[0] == "peer-group" and len(path) > 2 and path[2:] != _OWN:
            groups.setdefault(path[1], {})[path[2:]] = value
    members = {
        path[1]: group for path, group in settings.items() if path[0] == "neighbor" and path[2:] == ("peer-group",)
    }
    for neighbor, group in members.items():
        for below, value in groups.get(group, {}).items():
            settings.setdefault(("neighbor", neighbor, *below), value)
    for group in {*members.values()} & groups.keys():
        for below in groups[group]:
            del settings[("peer-group", group, *below)]
    return settings
