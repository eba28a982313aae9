"""The models of two switches, and what one does that the other should not: one sentence for each difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from fabricgen.kernel.diagnostics import Severity
from fabricgen.switch.model import Switch
from fabricgen.switch.routing import Bgp, Peer, Permit
from fabricgen.verify.drift.finding import Finding

MOST_NAMED = 6
"""So many values of a set are named in a sentence."""

UNREAD = {"BGP": ("bgp",), "QoS": ("qos",), "MLAG": ("pair",), "bonds": ("bonds",), "management": ("management",)}
"""Fields that say nothing where a part could not be read."""


def differences(device: str, running: Switch, planned: Switch, unread: frozenset[str]) -> Iterator[Finding]:
    """Yield what is not as planned; the parts `unread` are not compared."""
    left_out = {name for word in unread for name in UNREAD.get(word, ())}
    for each in fields(Switch):
        found, wanted = getattr(running, each.name), getattr(planned, each.name)
        if found == wanted or each.name in left_out:
            continue
        if each.name == "unused":
            yield from _unused(device, running, planned)
        elif each.name == "bgp":
            yield from _bgp(device, found, wanted)
        elif is_dataclass(found) and is_dataclass(wanted):
            yield from _Walk(device, label(each.name)).differ("", found, wanted)
        else:
            yield from _Walk(device, "").differ(each.name, found, wanted)


def _unused(device: str, running: Switch, planned: Switch) -> Iterator[Finding]:
    """Ports without a use: up where they should be down. Those that are in use, or gone, are told as ports."""
    for port in sorted(planned.unused - running.unused - set(running.interfaces)):
        yield Finding(device, f"port {port}", "is missing; the plan has no use for it", Severity.WARNING)
    for port in sorted(running.unused - planned.unused - set(planned.interfaces)):
        yield Finding(device, f"port {port}", "is not planned; it is down", Severity.WARNING)


def _bgp(device: str, found: Mapping[str, Bgp], wanted: Mapping[str, Bgp]) -> Iterator[Finding]:
    for vrf in sorted({*found, *wanted}):
        place = f"in VRF {vrf}" if vrf else ""
        name = f"BGP {place}".strip()
        if vrf not in found or vrf not in wanted:
            yield Finding(device, name, "is missing" if vrf in wanted else "is not planned")
            continue
        walk = _Walk(device, name, place)
        for each in fields(Bgp):
            one, other = getattr(found[vrf], each.name), getattr(wanted[vrf], each.name)
            if each.name != "max_paths" or one:  # FRR leaves its default unsaid
                yield from walk.differ(each.name, one, other)


class _Walk:
    """Differences of one subject; `place` says where its entries are, such as `in VRF blue`."""

    def __init__(self, device: str, subject: str, place: str = "") -> None:
        self._device, self._subject, self._place = device, subject, place

    def differ(self, name: str, found: Any, wanted: Any, inside: str = "") -> Iterator[Finding]:
        """Yield what differs in a field of this subject, "" for the subject itself; `inside` another, such as BFD."""
        if found == wanted:
            return
        if name in UNSAID:
            if name in NEEDED and bool(found) != bool(wanted):
                said = f"has no {NEEDED[name]}" if wanted else f"has a {NEEDED[name]}, planned: none"
                yield self._finding(name, inside + said)
        elif isinstance(found, Mapping) and isinstance(wanted, Mapping):
            yield from self._entries(name, found, wanted)
        elif is_dataclass(found) and type(found) is type(wanted):
            below = f"{inside}{label(name)}: " if name else inside
            for each in fields(found):
                yield from self.differ(each.name, getattr(found, each.name), getattr(wanted, each.name), below)
        elif name == "class_of":
            yield from self._classes(found, wanted)
        else:
            yield self._finding(name, inside + _sentence(name, found, wanted))

    def _finding(self, name: str, text: str) -> Finding:
        return Finding(self._device, self._subject, text, Severity.INFO if name in MILD else Severity.ERROR)

    def _classes(self, found: tuple[int, ...], wanted: tuple[int, ...]) -> Iterator[Finding]:
        """DSCPs in classes that are not planned, a sentence for each pair of classes."""
        moved: dict[tuple[int, int], list[int]] = {}
        for dscp, pair in enumerate(zip(found, wanted, strict=True)):
            if pair[0] != pair[1]:
                moved.setdefault(pair, []).append(dscp)
        for (own, other), dscps in sorted(moved.items()):
            yield self._finding("class_of", f"DSCP {_listed(dscps)} in class {own}, planned: {other}")

    def _entries(self, name: str, found: Mapping[Any, Any], wanted: Mapping[Any, Any]) -> Iterator[Finding]:
        for key in sorted({*found, *wanted}, key=str):
            if key in found and key in wanted and found[key] == wanted[key]:
                continue
            own = self._of(name, key, wanted.get(key, found.get(key)))
            if key in found and key in wanted:
                yield from own.differ("" if is_dataclass(found[key]) else name, found[key], wanted[key])
            else:
                yield own.gone() if key in wanted else own.strange(found[key])

    def gone(self) -> Finding:
        """That the subject is planned, and not there."""
        return self._finding("", "is missing")

    def strange(self, found: Any) -> Finding:
        """That the subject is there, and not planned."""
        return self._finding("", "is up, and not planned" if getattr(found, "admin_up", False) else "is not planned")

    def _of(self, name: str, key: Any, value: Any) -> _Walk:
        """The walk of an entry: session 10.0.0.1 (to spine-01) in VRF blue."""
        place = self._place
        if name == "routes":
            place, key = f"in VRF {key[0]}" if key[0] else "", key[1]
        shown = ".".join(map(str, key)) if isinstance(key, tuple) else str(key)
        if isinstance(value, Peer) and value.description:
            shown += f" (to {value.description})"
        inside = f"{self._subject}, " if name not in ("peers", *_TOP) and self._subject else ""
        return _Walk(self._device, f"{inside}{THINGS.get(name, label(name))} {shown} {place}".strip(), place)


_TOP = ("interfaces", "subinterfaces", "vlans", "bonds", "routes", "ports")


def _sentence(name: str, found: Any, wanted: Any) -> str:
    """What is found in a field, and what is planned."""
    word = SAID.get((name, found)) if found is None or isinstance(found, bool) else None
    if word is not None:
        return word
    if isinstance(found, frozenset) and isinstance(wanted, frozenset):
        return f"{label(name)}: {_sets(name, found, wanted)}"
    return f"{label(name)} {_is(found)}, planned: {_shown(wanted)}"


def _is(found: Any) -> str:
    return "is not there" if found in ("", 0, None, ()) and not isinstance(found, bool) else f"is {_shown(found)}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None or value in ("", 0, ()):
        return "none"
    if isinstance(value, tuple):
        return ", ".join(_shown(each) for each in value)
    if isinstance(value, Permit):
        lengths = f"/{value.shortest}" + (f" to /{value.longest}" if value.longest != value.shortest else "")
        return f"{value.prefix} as {lengths}"
    if is_dataclass(value):
        return ", ".join(
            f"{label(f.name)} {_shown(getattr(value, f.name))}" for f in fields(value) if f.name not in UNSAID
        )
    if isinstance(value, frozenset):
        return _listed(sorted(value, key=str))
    return str(value)


def _sets(name: str, found: frozenset[Any], wanted: frozenset[Any]) -> str:
    extra, gone = sorted(found - wanted, key=str), sorted(wanted - found, key=str)
    if name.endswith("keys"):
        return f"{len(gone)} missing, {len(extra)} not planned"
    told = [f"{word} {_listed(values)}" for word, values in (("missing", gone), ("not planned", extra)) if values]
    return "; ".join(told)


def _listed(values: list[Any]) -> str:
    named = ", ".join(_shown(each) if not isinstance(each, int) else str(each) for each in values[:MOST_NAMED])
    return named + (f" and {len(values) - MOST_NAMED} more" if len(values) > MOST_NAMED else "")


# The model of a switch in the words of those who run a fabric.

LABELS = {
    "access_vlan": "the untagged VLAN",
    "addresses": "addresses",
    "admin_up": "state",
    "announced": "announced prefixes",
    "asn": "the own AS number",
    "bfd": "BFD",
    "bgp": "BGP",
    "bond": "the bond it is in",
    "class_of": "classes of DSCPs",
    "detect_ms": "the time to detect, ms",
    "discard": "dropping what no next hop takes",
    "dns": "resolvers",
    "ecn": "ECN",
    "families": "address families",
    "fec": "FEC",
    "gnmi_port": "the gNMI port",
    "hold_s": "the hold time, s",
    "hops": "next hops",
    "interval_ms": "the interval, ms",
    "keepalive_s": "the keepalive time, s",
    "keys": "SSH keys",
    "limit": "the limit, %",
    "link_local": "IPv6 link-local addressing",
    "login_banner": "the banner before a login",
    "max_paths": "equal paths",
    "max_prefixes": "the limit of prefixes",
    "mlag_id": "the MLAG id",
    "mtu": "the MTU",
    "multipath_relax": "equal paths over different AS numbers",
    "ntp": "time servers",
    "own": "own addresses",
    "own_as_in": "own AS number taken in paths",
    "pfc": "no-drop priorities (PFC)",
    "poll_ms": "the polling time, ms",
    "policy_in": "what it takes",
    "policy_out": "what it announces",
    "qos": "QoS",
    "queue_of": "queues of classes",
    "remote_asn": "the neighbour's AS number",
    "restore_ms": "the time to restore, ms",
    "router_id": "the router id",
    "share": "the share, %",
    "snmp_users": "SNMP users",
    "speed_gbps": "the speed, Gb/s",
    "syslog": "syslog collectors",
    "syslog_level": "the syslog level",
    "tagged_vlans": "tagged VLANs",
    "vrf": "the VRF",
    "vrfs": "VRFs",
    "watchdog": "the PFC watchdog",
    "watched": "priorities under the watchdog",
}
"""What fields are called where the name itself is no word of the field."""

THINGS = {
    "interfaces": "port",
    "subinterfaces": "sub-interface",
    "vlans": "VLAN",
    "bonds": "bond",
    "routes": "static route",
    "peers": "session",
    "ports": "QoS of port",
    "queues": "queue",
    "users": "user",
}
"""What the entries of mappings are."""

SAID = {
    ("admin_up", False): "is shut down",
    ("admin_up", True): "is up, and planned to be shut down",
    ("shut", True): "is shut down",
    ("shut", False): "is up, and planned to be shut down",
    ("bfd", None): "has no BFD",
    ("policy_in", None): "takes every prefix: it has no policy",
    ("policy_out", None): "announces every prefix: it has no policy",
    ("ecn", None): "has no ECN",
    ("watchdog", None): "has no PFC watchdog",
    ("qos", None): "has no QoS",
    ("drained", True): "is drained, and is planned to carry traffic",
    ("drained", False): "is not drained, and is planned to be in maintenance",
    ("link_local", False): "has no session over link-local addresses",
}
"""What is found, where a word says more than a value."""

MILD = {"description", "login_banner", "motd", "timezone"}
"""Differences that carry no packet."""

UNSAID = {"password_hash", "password", "cak"}
"""Secrets are not compared: the plan is read without them, and devices show some encrypted. They are never printed."""

NEEDED = {"password": "password", "cak": "key"}
"""Those of links and sessions, which do not come up where one end has none."""


def label(name: str) -> str:
    """What a field is called."""
    return LABELS.get(name, name.replace("_", " "))
