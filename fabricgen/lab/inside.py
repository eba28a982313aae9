"""What of a build is in a lab: what FRR routes, and hosts at its ends. All else is left out, and told."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network
from pathlib import Path
from typing import Any

from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.nos_rooms import list_nos
from fabricgen.lab.fabric import Lab
from fabricgen.lab.files import LOWEST, Build, BuiltEnd, Link
from fabricgen.lab.stop import find_daemons
from fabricgen.publish.reading import NO_BUILD

MANAGEMENT = "links of management ports and BMCs"
BRIDGED = "links between switches that are bridged or bonded"
SRV6 = "links of SRv6 fabrics, whose paths are chosen by NICs"
UNKNOWN = "links of switches that FRR does not stand for, such as InfiniBand's"
NO_SWITCH = "links without a switch, such as NVLink's"
ALONE = "links of switches that no host is behind"
MOST_NAMED = 4
"""The most VRFs, or words of configurations, that a sentence names."""


@dataclass(frozen=True, slots=True)
class Inside:
    """The build of a lab, with its lists cut to what runs in it, and a sentence for each kind of thing left out."""

    build: Build
    left_out: tuple[str, ...]

    @property
    def numbers(self) -> tuple[int, int, int]:
        """How many switches, hosts and links the lab has."""
        return len(self.build.switches), len(self.build.hosts), len(self.build.links)

    @property
    def neighbours(self) -> int:
        """How many neighbours the devices have together: two for each link whose ends have addresses.

        A link of a host without an address is not counted; in a build without configurations, which decide about
        addresses, no link of a host is.
        """
        has_configs, hosts = _has_configs(self.build), set(self.build.hosts)
        ends_with_address = self.build.addresses.keys() if has_configs else set[BuiltEnd]()
        silent_links = sum(end.device in hosts and end not in ends_with_address for end in self.build.far)
        return 2 * (len(self.build.links) - silent_links)


def cut_to_lab(whole: Build) -> Inside:
    """Return the part of a build that a lab of network namespaces can run.

    A build without configurations is cut by its lists alone, which is enough to count devices: what is bridged, bonded
    or in a VRF stays. Raises InputError (FG028) if a switch has no configuration and others have one.
    """
    reasons: Counter[str] = Counter()
    listed = _drop_links(whole, _judge_by_lists(whole), reasons)
    has_files = _has_configs(whole)
    if has_files and (lacking := [name for name in listed.switches if not listed.select_config_files(name)]):
        lack = f"no configuration of {lacking[0]}" + (f" and {len(lacking) - 1:,} more switches" if lacking[1:] else "")
        raise fault(NO_BUILD, lack, hint="build the folder with the parts devices, links, addresses and configs")
    routed = _drop_links(listed, _judge_by_files(listed), reasons) if has_files else listed
    near_hosts = _find_joined_devices(routed)
    joined = _drop_links(routed, lambda link: "" if link.a.device in near_hosts else ALONE, reasons)
    sentences = [f"{count:,} {reason}" for reason, count in sorted(reasons.items())]
    absent = Counter(row["nos"] for name, row in whole.devices.items() if row["nos"] and name not in joined.devices)
    sentences += [
        f"{count:,} switch{'es' * (count > 1)} on {nos}, with no link in the lab"
        for nos, count in sorted(absent.items())
    ]
    lowest = "".join(f"{name}\n" for name in sorted(whole.lowest & joined.devices.keys()))
    joined = Build({**joined.files, LOWEST: lowest})
    if has_files:
        sentences += _explain_limits(joined)
        joined = _drop_bare_addresses(joined)
    return Inside(joined, tuple(sentences))


def _has_configs(build: Build) -> bool:
    return any(path.startswith("configs/") for path in build.files)


def _judge_by_lists(build: Build) -> Callable[[Link], str]:
    """Return a function that says why a link is not in a lab, by the lists of a build; "" if it is in."""
    readable = list_nos("reader")
    switches = {name: build.devices[name]["nos"] in readable for name in build.switches}

    def explain_exclusion(link: Link) -> str:
        """Return why a link is not part of the lab, "" if it is."""
        ends = (link.a, link.b)
        if any(not switches.get(end.device, True) for end in ends):
            return UNKNOWN
        if not any(end.device in switches for end in ends):
            return NO_SWITCH
        kinds = {build.kinds.get(end) for end in ends}
        return MANAGEMENT if "management" in kinds else ""

    return explain_exclusion


def _judge_by_files(build: Build) -> Callable[[Link], str]:
    """Return a function that says why a link is not in a lab, by the configurations at its ends; "" if it is in."""

    def explain_exclusion(link: Link) -> str:
        """Return why a link is not part of the lab, "" if it is."""
        if any(end.device in build.forms and build.forms[end.device].srv6 for end in (link.a, link.b)):
            return SRV6
        if link.a.device in build.forms and link.b.device in build.forms:
            return BRIDGED if is_bridged(build, link.a) or is_bridged(build, link.b) else ""
        return ""

    return explain_exclusion


def is_bridged(build: Build, end: BuiltEnd) -> bool:
    """Whether a switch's port is in a VLAN or a bond."""
    port = build.forms[end.device].interfaces.get(end.port)
    return bool(port and (port.bond or port.access_vlan or port.tagged_vlans))


def _drop_links(build: Build, why: Callable[[Link], str], reasons: Counter[str]) -> Build:
    """Return a build without the links for which `why` gives a reason, and count these in `reasons`."""
    links_in_lab = []
    for link in build.links:
        if reason := why(link):
            reasons[reason] += 1
        else:
            links_in_lab.append(link)
    ends = {end for link in links_in_lab for end in (link.a, link.b)}
    names = {end.device for end in ends}
    lists = {
        "devices.csv": _cut_table(build.files["devices.csv"], lambda row: row["device"] in names),
        "links.csv": _cut_table(build.files["links.csv"], lambda row: BuiltEnd(row["a_device"], row["a_port"]) in ends),
        "addresses.csv": _cut_table(build.files["addresses.csv"], lambda row: row["device"] in names),
    }
    configs = {path: text for path, text in build.files.items() if path.startswith("configs/")}
    return Build(lists | {path: text for path, text in configs.items() if path.split("/")[1] in names})


def _cut_table(text: str, keeps: Callable[[dict[str, str]], bool]) -> str:
    """Return CSV text with the header and the rows for which `keeps` is true."""
    reader, cut = csv.DictReader(io.StringIO(text)), io.StringIO()
    writer = csv.DictWriter(cut, reader.fieldnames or (), lineterminator="\n")
    writer.writeheader()
    writer.writerows(row for row in reader if keeps(row))
    return cut.getvalue()


def _find_joined_devices(build: Build) -> set[str]:
    """Return the hosts, and all devices that links join to a host, directly or through others."""
    neighbours = defaultdict[str, set[str]](set)
    for near, far in build.far.items():
        neighbours[near.device].add(far.device)
    joined, newly_joined = set[str](), set(build.hosts)
    while newly_joined:
        joined |= newly_joined
        newly_joined = {neighbour for device in newly_joined for neighbour in neighbours[device]} - joined
    return joined


BARE = "ports of hosts that are bridged, bonded or in a VRF: they are cabled, and have no address"
OUTSIDE = "ports of routers outside of the fabric: they are cabled, and have neither address nor sessions"


def _explain_bare_ends(build: Build) -> dict[BuiltEnd, str]:
    """Return the reason for each end of a host that has no address in a lab.

    It is `OUTSIDE` for ports of exits and of hosts that a switch has a BGP session with, and `BARE` for ports in VLANs,
    bonds and VRFs, which a lab does not have.
    """
    reasons = {}
    for host_end, switch_end in build.far.items():
        if host_end.device not in build.forms:
            form = build.forms[switch_end.device]
            port = form.interfaces.get(switch_end.port)
            peers = {peer for bgp in form.bgp.values() for peer in bgp.peers}
            host_addresses = {address.partition("/")[0] for address in build.addresses.get(host_end, ())}
            if build.kinds.get(host_end) == "exit" or peers & host_addresses:
                reasons[host_end] = OUTSIDE
            elif is_bridged(build, switch_end) or (port and port.vrf):
                reasons[host_end] = BARE
    return reasons


def _drop_bare_addresses(build: Build) -> Build:
    """Return a build without the addresses that hosts cannot have in a lab."""
    ends = _explain_bare_ends(build)
    cut = _cut_table(build.files["addresses.csv"], lambda row: BuiltEnd(row["device"], row["port"]) not in ends)
    return Build({**build.files, "addresses.csv": cut})


def _explain_limits(build: Build) -> Iterator[str]:
    """Yield sentences on what configurations ask devices to do and a lab does not do: ports of hosts without
    addresses, VRFs, EVPN overlays, and what no reader understands.
    """
    yield from (f"{count:,} {reason}" for reason, count in sorted(Counter(_explain_bare_ends(build).values()).items()))
    yield from _name_few("VRFs", (vrf for form in build.forms.values() for vrf in form.vrfs))
    if overlays := sum(bool(form.overlay) for form in build.forms.values()):
        yield f"what EVPN carries, of {overlays:,} switches; its sessions are there"
    if build.notes:
        yield _explain_not_understood(build)


def _explain_not_understood(build: Build) -> str:
    """Return a sentence on what no reader understands in the configurations of a lab.

    It names up to `MOST_NAMED` examples and counts the others: first words of unknown lines, then reasons why a part of
    a configuration cannot be read or used.
    """
    notes = build.notes.values()
    examples = sorted({f"`{word}`" for note in notes for word in note.unknown})
    examples += sorted({why for note in notes for why in (*note.unfit, *note.unread.values())})
    switches = f"{len(notes):,} switch{'es' * (len(notes) > 1)}"
    others = f" and {len(examples) - MOST_NAMED} more" if len(examples) > MOST_NAMED else ""
    named = f"{', '.join(examples[:MOST_NAMED])}{others}"
    return (
        f"what is not understood in configurations of {switches}, such as snippets ({named}): lines of frr.conf run "
        "all the same, and `lab check` judges none of it"
    )


def _name_few(title: str, names: Iterable[str]) -> Iterator[str]:
    """Yield a line with a title, the first `MOST_NAMED` of some names, and how many others there are; no line if there
    are no names.
    """
    if distinct_names := sorted(set(names)):
        others = f" and {len(distinct_names) - MOST_NAMED} more" if len(distinct_names) > MOST_NAMED else ""
        yield f"{title}: {', '.join(distinct_names[:MOST_NAMED])}{others}"


# What is seen of a lab's devices from outside of FRR: ports, addresses, routes and daemons, whoever changed them.

LOOPBACK = "Loopback0"
KERNEL, BOOT, ADVERTISED, BGP = 2, 3, 9, 186
"""Who made a route: the kernel, of an address; whoever did not say so; a router's advertisement; BGP (Linux,
uapi/linux/rtnetlink.h)."""


@dataclass(frozen=True, slots=True)
class KernelRoute:
    """A route of the kernel, who made it, and the ports that it leads over; no ports for a route that drops packets.

    `maker` is KERNEL, BOOT, ADVERTISED, BGP or another protocol of Linux.
    """

    network: IPv4Network | IPv6Network
    maker: int
    ports: frozenset[str]


def read_routes(lab: Lab, device: str) -> list[KernelRoute]:
    """Return the routes of a device's main table, of IPv4 and IPv6 together: the longest prefixes first, and of one
    prefix length those with the lowest metric, which the kernel prefers.

    Next hops whose link is down are left out. Raises InputError (FG175) if the device does not answer.
    """
    keyed_routes = []
    for family, everywhere in (("-4", "0.0.0.0/0"), ("-6", "::/0")):
        for row in json.loads(lab.run(device, "ip", "-N", "-json", family, "route", "show", "table", "main")):
            network = ip_network(everywhere if row["dst"] == "default" else row["dst"])
            # a route with one next hop has its port in the row itself
            hops = (hop for hop in row.get("nexthops", [row]) if "dead" not in hop["flags"])
            ports = frozenset(hop["dev"] for hop in hops if "dev" in hop and row.get("type") != "blackhole")
            route = KernelRoute(network, int(row.get("protocol", BOOT)), ports)
            keyed_routes.append((-network.prefixlen, row.get("metric", 0), route))
    return [route for *_, route in sorted(keyed_routes, key=lambda keyed: keyed[:2])]


@dataclass(frozen=True, slots=True)
class DevicePorts:
    """The ports of a device that are down, and the addresses of all ports, without link-local ones."""

    down: frozenset[str]
    addresses: dict[str, frozenset[str]]


def read_ports(lab: Lab, device: str) -> DevicePorts:
    """Return the state of a device's ports, by the kernel's names; raises InputError (FG175) if it does not answer."""
    rows = json.loads(lab.run(device, "ip", "-json", "addr", "show"))
    down = frozenset(row["ifname"] for row in rows if "UP" not in row["flags"])
    return DevicePorts(down, {row["ifname"]: frozenset(_list_addresses(row)) for row in rows})


def _list_addresses(row: dict[str, Any]) -> Iterator[str]:
    yield from (
        f"{address['local']}/{address['prefixlen']}" for address in row["addr_info"] if address["scope"] == "global"
    )


def list_planned_addresses(build: Build, end: BuiltEnd) -> frozenset[str]:
    """Return the addresses that a port or loopback should have, with prefix lengths."""
    addresses = build.forms[end.device].loopbacks if end.port == LOOPBACK else build.list_lab_addresses(end)
    return frozenset(str(ip_interface(address)) for address in addresses)


def list_daemons(lab: Lab) -> set[tuple[str, str]]:
    """Return (switch, name) of every daemon of a lab that runs, such as ("leaf-1", "bgpd")."""
    running = set()
    for process in find_daemons(lab.folder):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            arguments = Path("/proc", str(process), "cmdline").read_bytes().decode().split("\0")
            # each switch has its sockets in a folder of its name
            running.add((Path(arguments[arguments.index("--vty_socket") + 1]).name, Path(arguments[0]).name))
    return running
