"""Writers of NVUE's settings in the ways in which switches show them; they know nothing of how fabricgen reads them."""

from __future__ import annotations

import copy
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

Tree = dict[str, Any]

HEADER = {"model": "SN5600", "nvue-api-version": "nvue_v1", "rev-id": 1.0, "version": "Cumulus Linux 5.15.0"}

FACTORY: Tree = {
    "bridge": {"domain": {"br_default": {"type": "vlan-aware"}}},
    "system": {
        "aaa": {
            "class": {
                "nvapply": {"action": "allow", "command-path": {"/": {"permission": "all"}}},
                "nvshow": {"action": "allow", "command-path": {"/": {"permission": "ro"}}},
                "sudo": {"action": "allow", "command-path": {"/": {"permission": "all"}}},
            },
            "role": {
                "nvue-admin": {"class": {"nvapply": {}}},
                "nvue-monitor": {"class": {"nvshow": {}}},
                "system-admin": {"class": {"nvapply": {}, "sudo": {}}},
            },
            "user": {"cumulus": {"full-name": "cumulus,,,", "hashed-password": "*", "role": "system-admin"}},
        },
        "config": {"auto-save": {"state": "enabled"}},
        "reboot": {"mode": "cold"},
        "wjh": {"channel": {"forwarding": {"trigger": {"l2": {}, "l3": {}, "tunnel": {}}}}, "state": "enabled"},
    },
}
"""What the exports of all three reference designs of NVIDIA/enterprise-ras say beside the design, in words of 5.15."""


def commands(tree: Any, words: tuple[str, ...] = ()) -> Iterator[str]:
    """`nv config show -o commands`, as the exports of the reference designs have it."""
    if isinstance(tree, list):
        yield f"nv set {' '.join(words)} {','.join(tree)}"
    elif not isinstance(tree, Mapping):
        yield f"nv set {' '.join(words)} {shlex.quote(str(tree))}"
    elif not tree:
        yield f"nv set {' '.join(words)}"
    else:
        for key, below in tree.items():
            yield from commands(below, (*words, shlex.quote(str(key))))


def joined(one: Tree, other: Tree) -> Tree:
    """Two trees in one; what the first says stands."""
    both = {key: one[key] for key in one}
    for key, value in other.items():
        if isinstance(both.get(key), dict) and isinstance(value, dict):
            both[key] = joined(both[key], value)
        else:
            both.setdefault(key, value)
    return both


def as_shown(tree: Tree) -> list[Any]:
    """With a head, with what the factory says, sorted, a tree for each part, and numbers as text."""

    def text(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: text(value[key]) for key in sorted(value, key=str)} or None
        return str(value) if isinstance(value, int) else value

    factory = FACTORY if "bridge" in tree else {"system": FACTORY["system"]}
    both = joined(tree, factory)
    return [{"header": HEADER}, *({"set": {key: text(both[key])}} for key in sorted(both))]


def in_ranges(tree: Tree) -> list[Any]:
    """What interfaces have in common said once, of their range, as `nv config show` does without `--expand`."""
    rows: Tree = tree["interface"]
    shared: dict[str, tuple[Any, list[str]]] = {}
    own: Tree = {}
    for name, row in rows.items():
        for key, value in row.items():
            if key in ("description", "ipv4", "ipv6", "base-interface"):
                own.setdefault(name, {})[key] = value
            else:
                shared.setdefault(f"{key} {value}", ({key: value}, []))[1].append(name)
    new: Tree = {}
    for said, names in shared.values():
        new[_range(names)] = joined(new.get(_range(names), {}), said)
    for name, row in own.items():
        new[name] = joined(new.get(name, {}), row)
    return [{"set": {**tree, "interface": new}}]


def _range(names: list[str]) -> str:
    runs: dict[str, list[int]] = {}
    plain = []
    for name in names:
        stem = re.fullmatch(r"((?:swp|bond|vlan)(?:\d+s)?)(\d+)", name)
        if stem:
            runs.setdefault(stem[1], []).append(int(stem[2]))
        else:
            plain.append(name)
    for stem, numbers in runs.items():
        start = before = None
        for n in [*sorted(numbers), None]:
            if before is not None and n == before + 1:
                before = n
                continue
            if start is not None:
                plain.append(f"{stem}{start}" + (f"-{before}" if before != start else ""))
            start = before = n
    return ",".join(plain)


def defaults_unsaid(tree: Tree) -> list[Any]:
    """Without what NVUE does anyway."""
    new = copy.deepcopy(tree)
    for row in new["interface"].values():
        row.pop("type")
        link = row.get("link", {})
        if link.get("mtu") == 9216:
            del link["mtu"]
        if link.get("state") == {"up": {}}:
            del link["state"]
        row.get("bond", {}).pop("mode", None)
        row.get("bond", {}).pop("lacp-rate", None)
    for named in new.get("router", {}).get("policy", {}).get("prefix-list", {}).values():
        if named["type"] == "ipv4":
            del named["type"]
    for vrf in new.get("vrf", {}).values():
        bgp = vrf.get("router", {}).get("bgp", {})
        if bgp.get("timers") == {"connection-retry": 10, "hold": 9, "keepalive": 3}:
            bgp["timers"] = {}
        if bgp.get("autonomous-system") == new.get("router", {}).get("bgp", {}).get("autonomous-system"):
            bgp.pop("autonomous-system", None)
    new["system"]["lldp"] = None
    return [{"set": new}]


def before_5_15(tree: Tree) -> list[Any]:
    """In the words of 5.13: `ip` of interfaces, `enable: on`, services below `service`, AS numbers in dots."""
    new = copy.deepcopy(tree)
    for row in new["interface"].values():
        ip: Tree = {}
        for family in ("ipv4", "ipv6"):
            own = row.pop(family, {})
            discovery = own.pop("neighbor-discovery", None)
            ip = joined(ip, own)
            if discovery:
                ip["neighbor-discovery"] = discovery
        if "vrf" in row:
            ip["vrf"] = row.pop("vrf")
        if ip:
            row["ip"] = ip
    system, service = new["system"], new.setdefault("service", {})
    service["lldp"] = system.pop("lldp")
    if "ntp" in system:
        ntp = system.pop("ntp")
        service["ntp"] = {ntp["vrf"]: {"server": ntp["server"]}}
        system["ntp"] = {"state": ntp["state"]}
    if "date-time" in system:
        system["timezone"] = system.pop("date-time")["timezone"]
    return [{"set": _older(new, "")}]


def _older(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        pairs = ((k, _older(v, str(k))) for k, v in value.items())
        return {("enable" if k == "state" and v in ("on", "off") else k): v for k, v in pairs}
    if key in ("autonomous-system", "remote-as", "asn") and isinstance(value, int) and value >= 1 << 16:
        return f"{value >> 16}.{value & 0xFFFF}"
    return {"enabled": "on", "disabled": "off"}.get(value, value) if isinstance(value, str) else value


def groups_written_out(tree: Tree) -> list[Any]:
    """Each neighbour with what its group says, and groups that say nothing."""
    new = copy.deepcopy(tree)
    for vrf in new.get("vrf", {}).values():
        bgp = vrf.get("router", {}).get("bgp", {})
        members = {row["peer-group"] for row in bgp.get("neighbor", {}).values() if "peer-group" in row}
        for row in bgp.get("neighbor", {}).values():
            if "peer-group" in row:
                row.update(joined(row, bgp["peer-group"][row["peer-group"]]))
        for name in members:
            bgp["peer-group"][name] = {}
    return [{"set": new}]
