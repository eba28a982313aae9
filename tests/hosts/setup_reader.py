"""The commands for NICs that `rdma-setup` prints, read back: those of mlnx_qos (Mellanox/mlnx-tools), sysfs, configfs,
mlxconfig and nicctl (AMD Pollara). A port begins with a line `# INTERFACE DEVICE`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from fabricgen.running.tree import UnknownTextError
from tests.hosts.nic_form import HostPort

NET = "/sys/class/net/([^/]+)"
PRIORITIES = range(8)


@dataclass
class _Port:
    device: str
    by_nicctl: bool = False
    values: dict[str, list[str]] = field(default_factory=dict)
    np: set[int] = field(default_factory=set)
    rp: set[int] = field(default_factory=set)
    cnp_dscp: int = -1
    cnp_priority: int | None = None
    traffic_classes: set[int] = field(default_factory=set)
    version_2: bool = False
    cable_m: int = 0
    firmware: dict[str, str] = field(default_factory=dict)


@dataclass
class _Pollara:
    """What nicctl is told of all ports."""

    priority_of: list[int] = field(default_factory=lambda: [0] * 64)
    pfc: set[int] = field(default_factory=set)
    by_dscp: bool = False
    pauses: bool | None = None
    shares: dict[int, int] = field(default_factory=dict)
    strict: set[int] = field(default_factory=set)


def read_setup(text: str) -> dict[str, HostPort]:
    """Ports by interface. Raises UnknownTextError for a command that is not known, or a port that is half set up."""
    ports: dict[str, _Port] = {}
    pollara = _Pollara()
    port = _Port("")
    for line in text.splitlines():
        if found := re.fullmatch(r"# (\S+) (\S*)", line):
            port = ports.setdefault(found[1], _Port(found[2]))
        elif line.startswith("echo "):
            _take_file(port, *line.removeprefix("echo ").rsplit(" > ", 1))
        else:
            _take_command(port, pollara, shlex.split(line), line)
    return {name: _whole(name, port, pollara) for name, port in ports.items() if port.by_nicctl or port.values}


def _take_file(port: _Port, value: str, path: str) -> None:
    """A value written to a file of the kernel."""
    if found := re.fullmatch(rf"{NET}/ecn/roce_(np|rp)/enable/([0-7])", path):
        (port.np if found[2] == "np" else port.rp).update({int(found[3])} if value == "1" else ())
    elif re.fullmatch(rf"{NET}/ecn/roce_np/cnp_dscp", path):
        port.cnp_dscp = int(value)
    elif re.fullmatch(rf"{NET}/ecn/roce_np/cnp_802p_prio", path):
        port.cnp_priority = int(value)
    elif path in (
        f"/sys/class/infiniband/{port.device}/tc/1/traffic_class",
        f"/sys/kernel/config/rdma_cm/{port.device}/ports/1/default_roce_tos",
    ):
        port.traffic_classes.add(int(value))
    elif path == f"/sys/kernel/config/rdma_cm/{port.device}/ports/1/default_roce_mode":
        port.version_2 = value == "RoCE v2"
    else:
        raise UnknownTextError(f"not understood: echo {value} > {path}")


def _take_command(port: _Port, pollara: _Pollara, words: list[str], line: str) -> None:
    match words:
        case ["mlnx_qos", "-i", _, *options]:
            for option in options:
                name, _, value = option.removeprefix("--").partition("=")
                port.values.setdefault(name, []).append(value)
        case ["mlxconfig", "-y", "-d", _, "set", *settings]:
            port.firmware |= {
                re.sub(r"_P[0-9?]$", "", name): value for name, _, value in (s.partition("=") for s in settings)
            }
        case ["nicctl", "update", "dcqcn", "-r", device, "-i", "1", *options] if device == port.device:
            port.by_nicctl, port.cnp_dscp = True, int(_options(options)["--cnp-dscp"])
        case ["nicctl", "update", *rest]:
            _take_nicctl(pollara, rest, line)
        case ["rdma", "dev", "set", _, "name", _] | ["mkdir", "-p", _] | ["ethtool", "-A" | "-G", *_] | ["setpci", *_]:
            pass
        case _:
            raise UnknownTextError(f"not understood: {line}")


def _take_nicctl(pollara: _Pollara, words: list[str], line: str) -> None:
    match words:
        case ["port", "--all", "--pause-type", "pfc", "--rx-pause", "enable" | "disable" as rx, "--tx-pause", tx] if (
            rx == tx
        ):
            pollara.pauses = rx == "enable"
        case ["qos", "--classification-type", "dscp"]:
            pollara.by_dscp = True
        case ["qos", "dscp-to-priority", "--dscp", dscps, "--priority", priority]:
            for dscp in _ranges(dscps):
                pollara.priority_of[dscp] = int(priority)
        case ["qos", "pfc", "--priority", priority, "--no-drop", "enable" | "disable" as state]:
            (pollara.pfc.add if state == "enable" else pollara.pfc.discard)(int(priority))
        case ["qos", "scheduling", "--priority", priorities, "--dwrr", shares, "--rate-limit", limits]:
            rows = zip(*(map(int, each.split(",")) for each in (priorities, shares, limits)), strict=True)
            for priority, share, limit in rows:
                if limit:
                    pollara.strict.add(priority)
                else:
                    pollara.shares[priority] = share
        case _:
            raise UnknownTextError(f"not understood: {line}")


def _options(words: list[str]) -> dict[str, str]:
    return dict(zip(words[::2], words[1::2], strict=True))


def _ranges(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _whole(name: str, port: _Port, pollara: _Pollara) -> HostPort:
    """A port whose commands fit together."""
    if port.device and (len(port.traffic_classes) != 1 or not port.version_2):
        raise UnknownTextError(f"{name} marks packets differently by interface: {sorted(port.traffic_classes)}")
    traffic_class = next(iter(port.traffic_classes), 0)
    if port.by_nicctl:
        if not pollara.by_dscp or pollara.pauses is None:
            raise UnknownTextError(f"{name} has no classes by DSCP, or may pause whole links")
        paused = frozenset(pollara.pfc if pollara.pauses else ())
        rest = (tuple(pollara.priority_of), tuple(PRIORITIES), paused, frozenset(pollara.strict))
        # DCQCN slows down what marks come back for: the class of RoCE
        slowed = frozenset({pollara.priority_of[traffic_class >> 2]})
        return HostPort(port.device, *rest, pollara.shares, slowed, port.cnp_dscp, traffic_class)
    if port.values.get("trust") != ["dscp"] or port.np != port.rp:
        raise UnknownTextError(f"{name} does not trust DSCPs, or reacts to other congestion than it tells of")
    priority_of = [dscp >> 3 for dscp in range(64)]
    for change in port.values.get("dscp2prio", []):
        _, dscp, priority = change.split(",")
        priority_of[int(dscp)] = int(priority)
    classes, shares = _numbers(port, "prio_tc"), _numbers(port, "tcbw")
    algorithms = port.values["tsa"][0].split(",")
    used = sorted(set(classes))
    return HostPort(
        device=port.device,
        priority_of=tuple(priority_of),
        class_of=tuple(classes),
        pfc=frozenset(p for p, on in enumerate(_numbers(port, "pfc")) if on),
        strict=frozenset(c for c in used if algorithms[c] == "strict"),
        shares={c: shares[c] for c in used if algorithms[c] == "ets"},
        ecn=frozenset(port.np),
        cnp_dscp=port.cnp_dscp,
        traffic_class=traffic_class,
        cnp_priority=port.cnp_priority,
        cable_m=int(port.values.get("cable_len", ["0"])[0]),
        firmware=port.firmware,
    )


def _numbers(port: _Port, option: str) -> list[int]:
    return [int(number) for number in port.values[option][0].split(",")]
