"""Comparison of the models of a running and a planned switch: one sentence for each difference.

`check --running` decides by statements (`running/differences.py`) and takes only its words from here: the running
switch is then the plan with a device's differences applied to it (`checking.py`). `adopt` passes what a switch really
runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from fabricgen.kernel.diagnostics import Severity
from fabricgen.switch.model import Switch
from fabricgen.switch.routing import Bgp, Peer, Permit
from fabricgen.verify.drift.finding import DriftFinding

MOST_NAMED = 6
"""The most values of a set that are named in a sentence."""

UNPLANNED = "is not planned"


def compare_switches(device: str, running: Switch, planned: Switch) -> Iterator[DriftFinding]:
    """Yield the differences between a running and a planned switch, field by field of the model."""
    for field in fields(Switch):
        running_value, planned_value = getattr(running, field.name), getattr(planned, field.name)
        if running_value == planned_value:
            continue
        if field.name == "unused":
            yield from _compare_unused(device, running, planned)
        elif field.name == "bgp":
            yield from _compare_bgp(device, running_value, planned_value)
        elif is_dataclass(running_value) and is_dataclass(planned_value):
            yield from _Walk(device, name_field(field.name)).compare_field("", running_value, planned_value)
        else:
            yield from _Walk(device, "").compare_field(field.name, running_value, planned_value)


def _compare_unused(device: str, running: Switch, planned: Switch) -> Iterator[DriftFinding]:
    """Yield a warning for each unused port that is missing, and for each unplanned port that is down.

    Ports that are in use are compared as interfaces.
    """
    for port in sorted(planned.unused - running.unused - set(running.interfaces)):
        yield DriftFinding(device, f"port {port}", "is missing; the plan has no use for it", Severity.WARNING)
    for port in sorted(running.unused - planned.unused - set(planned.interfaces)):
        yield DriftFinding(device, f"port {port}", "is not planned; it is down", Severity.WARNING)


def _compare_bgp(device: str, running: Mapping[str, Bgp], planned: Mapping[str, Bgp]) -> Iterator[DriftFinding]:
    """Yield the differences of BGP, VRF by VRF and field by field; a VRF that only one side has is one difference."""
    for vrf in sorted({*running, *planned}):
        vrf_place = f"in VRF {vrf}" if vrf else ""
        subject = f"BGP {vrf_place}".strip()
        if vrf not in running or vrf not in planned:
            yield DriftFinding(device, subject, "is missing" if vrf in planned else UNPLANNED)
            continue
        bgp_walk = _Walk(device, subject, vrf_place)
        for field in fields(Bgp):
            running_value, planned_value = getattr(running[vrf], field.name), getattr(planned[vrf], field.name)
            if field.name != "max_paths" or running_value:  # FRR does not show its default
                yield from bgp_walk.compare_field(field.name, running_value, planned_value)


class _Walk:
    """Yields the differences of one subject, such as a port; `place` says where it is, such as `in VRF blue`."""

    def __init__(self, device: str, subject: str, place: str = "") -> None:
        self._device, self._subject, self._place = device, subject, place

    def compare_field(self, name: str, running: Any, planned: Any, inside: str = "") -> Iterator[DriftFinding]:
        """Yield the differences in a field of this subject ("" for the subject itself).

        `inside` is a prefix for sentences about fields of a field, such as `BFD: `.
        """
        if running == planned:
            return
        if name in UNSAID:
            if name in NEEDED and bool(running) != bool(planned):
                sentence = f"has no {NEEDED[name]}" if planned else f"has a {NEEDED[name]}, planned: none"
                yield self._make_finding(name, inside + sentence)
        elif isinstance(running, Mapping) and isinstance(planned, Mapping):
            yield from self._compare_entries(name, running, planned)
        elif is_dataclass(running) and type(running) is type(planned):
            below = f"{inside}{name_field(name)}: " if name else inside
            for field in fields(running):
                yield from self.compare_field(
                    field.name, getattr(running, field.name), getattr(planned, field.name), below
                )
        elif name == "class_of":
            yield from self._compare_classes(running, planned)
        else:
            yield self._make_finding(name, inside + _describe_difference(name, running, planned))

    def _make_finding(self, name: str, text: str) -> DriftFinding:
        return DriftFinding(self._device, self._subject, text, Severity.INFO if name in MILD else Severity.ERROR)

    def _compare_classes(self, running: tuple[int, ...], planned: tuple[int, ...]) -> Iterator[DriftFinding]:
        """Yield a sentence for each pair of (running, planned) classes with the DSCPs that are in the wrong one."""
        moved: dict[tuple[int, int], list[int]] = {}
        for dscp, (running_class, planned_class) in enumerate(zip(running, planned, strict=True)):
            if running_class != planned_class:
                moved.setdefault((running_class, planned_class), []).append(dscp)
        for (running_class, planned_class), dscps in sorted(moved.items()):
            yield self._make_finding(
                "class_of", f"DSCP {_join_values(dscps)} in class {running_class}, planned: {planned_class}"
            )

    def _compare_entries(
        self, name: str, running: Mapping[Any, Any], planned: Mapping[Any, Any]
    ) -> Iterator[DriftFinding]:
        """Yield the differences of a mapping: entries that differ, are missing, or are not planned."""
        for entry_key in sorted({*running, *planned}, key=str):
            if entry_key in running and entry_key in planned and running[entry_key] == planned[entry_key]:
                continue
            entry_walk = self._enter_entry(name, entry_key, planned.get(entry_key, running.get(entry_key)))
            if entry_key in running and entry_key in planned:
                yield from entry_walk.compare_field(
                    "" if is_dataclass(running[entry_key]) else name, running[entry_key], planned[entry_key]
                )
            else:
                yield (
                    entry_walk.report_missing()
                    if entry_key in planned
                    else entry_walk.report_unplanned(running[entry_key])
                )

    def report_missing(self) -> DriftFinding:
        """Return the finding that the subject is planned and missing."""
        return self._make_finding("", "is missing")

    def report_unplanned(self, value: Any) -> DriftFinding:
        """Return the finding that the subject is there and not planned."""
        return self._make_finding("", "is up, and not planned" if getattr(value, "admin_up", False) else UNPLANNED)

    def _enter_entry(self, name: str, entry_key: Any, value: Any) -> _Walk:
        """Return the walk of an entry, with a subject such as `session 10.0.0.1 (to spine-01) in VRF blue`."""
        entry_place = self._place
        if name == "routes":
            entry_place, entry_key = f"in VRF {entry_key[0]}" if entry_key[0] else "", entry_key[1]
        entry_name = ".".join(map(str, entry_key)) if isinstance(entry_key, tuple) else str(entry_key)
        if isinstance(value, Peer) and value.description:
            entry_name += f" (to {value.description})"
        subject_prefix = f"{self._subject}, " if name not in ("peers", *_TOP) and self._subject else ""
        return _Walk(
            self._device,
            f"{subject_prefix}{THINGS.get(name, name_field(name))} {entry_name} {entry_place}".strip(),
            entry_place,
        )


_TOP = ("interfaces", "subinterfaces", "vlans", "bonds", "routes", "ports")


def _describe_difference(name: str, running: Any, planned: Any) -> str:
    """Say what is found in a field, and what is planned."""
    phrase = SAID.get((name, running)) if running is None or isinstance(running, bool) else None
    if phrase is not None:
        return phrase
    if isinstance(running, frozenset) and isinstance(planned, frozenset):
        return f"{name_field(name)}: {_compare_sets(name, running, planned)}"
    return f"{name_field(name)} {_describe_value(running)}, planned: {_format_value(planned)}"


def _describe_value(value: Any) -> str:
    return (
        "is not there" if value in ("", 0, None, ()) and not isinstance(value, bool) else f"is {_format_value(value)}"
    )


def _format_value(value: Any) -> str:
    """Return a value of the switch model as text: `on`, `none`, lists joined, dataclasses field by field."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None or value in ("", 0, ()):
        return "none"
    if isinstance(value, tuple):
        return ", ".join(_format_value(member) for member in value)
    if isinstance(value, Permit):
        lengths = f"/{value.shortest}" + (f" to /{value.longest}" if value.longest != value.shortest else "")
        return f"{value.prefix} as {lengths}"
    if is_dataclass(value):
        return ", ".join(
            f"{name_field(f.name)} {_format_value(getattr(value, f.name))}"
            for f in fields(value)
            if f.name not in UNSAID
        )
    if isinstance(value, frozenset):
        return _join_values(sorted(value, key=str))
    return str(value)


def _compare_sets(name: str, running: frozenset[Any], planned: frozenset[Any]) -> str:
    # what the running set lacks and what it has in excess, in words; of secret keys only how many
    extra, gone = sorted(running - planned, key=str), sorted(planned - running, key=str)
    if name.endswith("keys"):
        return f"{len(gone)} missing, {len(extra)} not planned"
    phrases = [
        f"{word} {_join_values(values)}" for word, values in (("missing", gone), ("not planned", extra)) if values
    ]
    return "; ".join(phrases)


def _join_values(values: list[Any]) -> str:
    # the first few values joined by commas, and how many more there are
    named = ", ".join(
        _format_value(value) if not isinstance(value, int) else str(value) for value in values[:MOST_NAMED]
    )
    return named + (f" and {len(values) - MOST_NAMED} more" if len(values) > MOST_NAMED else "")


# Words of network operators for the fields and entries of the switch model.

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
    "high": "all marked from, kB (or % full)",
    "hold_s": "the hold time, s",
    "hops": "next hops",
    "interval_ms": "the interval, ms",
    "keepalive_s": "the keepalive time, s",
    "keys": "SSH keys",
    "length_m": "the cable length, m",
    "limit": "the limit, %",
    "link_local": "IPv6 link-local addressing",
    "login_banner": "the banner before a login",
    "low": "marked from, kB (or % full)",
    "max_paths": "equal paths",
    "max_prefixes": "the limit of prefixes",
    "mlag_id": "the MLAG id",
    "mtu": "the MTU",
    "multipath_relax": "equal paths over different AS numbers",
    "ntp": "time servers",
    "own": "own addresses",
    "own_as_in": "own AS number taken in paths",
    "percent": "marked at the upper threshold, %",
    "pfc": "no-drop priorities (PFC)",
    "policy_in": "what it takes",
    "policy_out": "what it announces",
    "poll_ms": "the polling time, ms",
    "qos": "QoS",
    "queue_of": "queues of classes",
    "remote_asn": "the neighbour's AS number",
    "restore_ms": "the time to restore, ms",
    "router_id": "the router id",
    "share": "the share, %",
    "snmp_users": "SNMP users",
    "speed_gbps": "the speed, Gb/s",
    "strict": "strict priority",
    "syslog": "syslog collectors",
    "syslog_level": "the syslog level",
    "tagged_vlans": "tagged VLANs",
    "vrf": "the VRF",
    "vrfs": "VRFs",
    "watchdog": "the PFC watchdog",
    "watched": "priorities under the watchdog",
}
"""Names of fields for people; other fields go by their own name."""

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
"""What an entry of a mapping is called."""

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
"""Phrases for (field, running value) that say more than the value."""

MILD = {"description", "login_banner", "motd", "timezone"}
"""Fields whose differences affect no packet."""

UNSAID = {"password_hash", "password", "cak"}
"""Secrets, which are neither compared nor printed: the plan is read without them, and devices show some encrypted."""

NEEDED = {"password": "password", "cak": "key"}
"""Secrets of links and sessions, which do not come up if one end has none."""


def name_field(name: str) -> str:
    """Return the name of a field for people."""
    return LABELS.get(name, name.replace("_", " "))
