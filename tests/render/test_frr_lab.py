"""The rendered routing at work: real FRR daemons in network namespaces, and pings between hosts of different leaves.

Needs root, FRR and network namespaces, and takes half a minute; elsewhere it is skipped, in CI it must run.
Sessions left to SONiC's bgpcfgd are written out here as its `general` templates would.
"""

from __future__ import annotations

import ipaddress
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import frr_lab
import pytest
from rendered import DUAL, ONE_NUMBER, PER_RACK, STATIC, UNNUMBERED, V6, cluster_of, config_db, files_of

from fabricgen.render.bgp import sessions
from fabricgen.switch_view import SwitchView


@pytest.fixture(scope="module", autouse=True)
def daemons() -> None:
    """What the lab starts; missing, it is a failure in CI and a skip that says what to do elsewhere."""
    missing = [tool for tool in ("ip", "vtysh", "ping") if shutil.which(tool) is None]
    reason = f"install {', '.join(missing)}: apt-get install frr iproute2 iputils-ping" if missing else ""
    if not reason and os.geteuid() != 0:
        reason = "run as root: the lab starts FRR daemons in network namespaces"
    if reason and os.environ.get("CI") == "true":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder with a short name: the daemons' sockets lie in it, and a socket's path ends at 107 characters."""
    with tempfile.TemporaryDirectory(prefix="frr") as folder:
        yield Path(folder)


def as_bgpcfgd(files: dict[str, str], switch: SwitchView) -> str:
    """What bgpcfgd makes of BGP_NEIGHBOR and STATIC_ROUTE (sonic-buildimage: bgpd.main.conf.j2, templates/general)."""
    tables = config_db(files, switch.name)
    statics = [
        key.partition("|")[2] for key, row in tables.get("STATIC_ROUTE", {}).items() if row["blackhole"] == "true"
    ]
    lines = [f"{'ipv6' if ':' in prefix else 'ip'} route {prefix} blackhole tag 1" for prefix in statics]
    lines += ["route-map STATIC_ROUTE_FILTER permit 10\n match tag 1\nexit"]
    for group in ("PEER_V4", "PEER_V6"):
        lines.append(f"route-map FROM_BGP_{group} permit 100\nexit\nroute-map TO_BGP_{group} permit 100\nexit")
    lines += [f"router bgp {switch.asn}\n no bgp default ipv4-unicast\n no bgp ebgp-requires-policy"]
    lines += [f" bgp bestpath as-path multipath-relax\n bgp router-id {switch.loopback}"]
    lines += [" neighbor PEER_V4 peer-group\n neighbor PEER_V6 peer-group"]
    for address, row in tables["BGP_NEIGHBOR"].items():
        lines.append(f" neighbor {address} remote-as {row['asn']}")
        lines.append(f" neighbor {address} timers {row['keepalive']} {row['holdtime']}")
    metadata = tables["DEVICE_METADATA"]["localhost"]
    v6_length = 128 if metadata.get("bgp_adv_lo_prefix_as_128") == "true" else 64
    own = (("ipv4", "PEER_V4", f"{switch.loopback}/32"), ("ipv6", "PEER_V6", f"{switch.loopback6}/{v6_length}"))
    for family, group, loopback in own if switch.loopback6 else own[:1]:
        lines.append(f" address-family {family}\n  network {loopback}\n  maximum-paths 64")
        lines += ["  redistribute static route-map STATIC_ROUTE_FILTER"] if statics else []
        lines.append(
            f"  neighbor {group} route-map FROM_BGP_{group} in\n  neighbor {group} route-map TO_BGP_{group} out"
        )
        for address in tables["BGP_NEIGHBOR"]:
            if (":" in address) == (family == "ipv6"):
                lines.append(f"  neighbor {address} peer-group {group}\n  neighbor {address} activate")
        lines.append(" exit-address-family")
    return "\n".join([*lines, "exit", ""])


def as_bgpcfgd_without_bgp(files: dict[str, str], switch: SwitchView) -> str:
    """What bgpcfgd makes of STATIC_ROUTE where there is no AS number (managers_static_rt.py)."""
    lines = []
    for key, row in config_db(files, switch.name).get("STATIC_ROUTE", {}).items():
        columns = {field: text.split(",") for field, text in row.items() if field != "advertise"}
        ways = {len(column) for column in columns.values()}
        assert len(ways) == 1, "bgpcfgd refuses lists of different lengths"
        for n in range(ways.pop()):
            item = {field: column[n] for field, column in columns.items()}
            drop = item.get("blackhole") == "true"
            hop = "blackhole" if drop else f"{item['nexthop']} {item['ifname']}"
            distance = item.get("distance", "0")
            word = "ipv6" if ":" in key else "ip"
            lines.append(f"{word} route {key.partition('|')[2]} {hop} {distance if distance != '0' else ''} tag 2")
    return "\n".join([*lines, ""])


def ping(lab: frr_lab.Lab, device: str, port: str, address: str) -> None:
    for attempt in range(20):
        try:
            lab.run(device, "ping", "-c1", "-W1", "-I", port, address)
        except AssertionError:
            if attempt == 19:
                raise
            time.sleep(0.5)
        else:
            return


def converged(lab: frr_lab.Lab, leaf: str, prefixes: set[str], width: int) -> dict[str, list[dict[str, object]]]:
    """A leaf's BGP routes once it has every prefix over so many equal paths; fails when that takes a minute."""
    deadline = time.monotonic() + 60
    while True:
        routes = json.loads(lab.vtysh(leaf, "show ip route bgp json"))
        routes |= json.loads(lab.vtysh(leaf, "show ipv6 route bgp json"))
        paths = {p: sum(bool(hop.get("fib")) for hop in routes[p][0]["nexthops"]) for p in prefixes & set(routes)}
        if paths == dict.fromkeys(prefixes, width):
            return routes
        assert time.monotonic() < deadline, f"{leaf}: paths {paths}, wanted {width} to each of {sorted(prefixes)}"
        time.sleep(0.5)


@pytest.mark.parametrize(
    "sets", [(), UNNUMBERED, PER_RACK, ONE_NUMBER], ids=["numbered", "unnumbered", "per-rack", "one-number"]
)
def test_hosts_reach_each_other_over_equal_paths(tmp_path: Path, sets: tuple[str, ...]) -> None:
    if lacking := frr_lab.missing():
        pytest.fail(f"the lab lacks {lacking}: `apt-get install frr iproute2 iputils-ping`, run as root")
    cluster, files = cluster_of("leaf-spine", *sets), files_of("leaf-spine", *sets)
    switches = list(cluster.switches())
    texts = {s.name: files.get(f"configs/{s.name}/frr.conf") or as_bgpcfgd(files, s) for s in switches}
    folder = tmp_path
    folder.chmod(0o755)
    leaves = [s for s in switches if s.is_lowest]
    own = {leaf.name: {p.address for p in leaf.ports if p.role == "host"} for leaf in leaves}
    if not sets:  # bgpcfgd announces the block of a leaf instead of each link
        own = {leaf.name: {leaf.services[0].host_subnet} for leaf in leaves}
    loopbacks = {f"{s.loopback}/32" for s in switches}
    with frr_lab.lab(cluster, texts, folder) as lab:
        lab.wait({s.name: len(sessions(s)) for s in switches})
        for leaf in leaves:
            far = set().union(*(own[other.name] for other in leaves if other is not leaf))
            routes = converged(lab, leaf.name, far, 4)
            assert set(routes) <= far | loopbacks, "only router ids and host prefixes may travel"
        first = leaves[0].ports[0]
        for leaf in leaves[1:]:
            host = next(p for p in reversed(leaf.ports) if p.role == "host")
            ping(lab, first.peer, first.peer_port, host.peer_address.partition("/")[0])
        spine = lab.vtysh(switches[-1].name, "show ip bgp neighbors json")
        received = [p["addressFamilyInfo"]["ipv4Unicast"]["acceptedPrefixCounter"] for p in json.loads(spine).values()]
        assert received == [1 + len(own[leaves[0].name])] * 4, (
            "a leaf announces its router id and its hosts, and carries no transit"
        )


@pytest.mark.parametrize("sets", [DUAL, DUAL + UNNUMBERED, V6, V6 + UNNUMBERED], ids="+".join)
def test_hosts_reach_each_other_over_ipv6(tmp_path: Path, sets: tuple[str, ...]) -> None:
    if lacking := frr_lab.missing():
        pytest.fail(f"the lab lacks {lacking}: `apt-get install frr iproute2 iputils-ping`, run as root")
    sets = (*sets, "fabrics.compute.tiers.spine.count=2")
    cluster, files = cluster_of("leaf-spine", *sets), files_of("leaf-spine", *sets)
    switches = list(cluster.switches())
    texts = {s.name: files.get(f"configs/{s.name}/frr.conf") or as_bgpcfgd(files, s) for s in switches}
    tmp_path.chmod(0o755)
    leaves = [s for s in switches if s.is_lowest]
    own = {leaf.name: {a for p in leaf.ports if p.role == "host" for a in p.addresses} for leaf in leaves}
    if sets[:-1] == DUAL:  # bgpcfgd announces the blocks of a leaf instead of each link
        own = {leaf.name: {leaf.services[0].host_subnet, leaf.services[0].host_subnet6} for leaf in leaves}
    own = {leaf: {str(ipaddress.ip_interface(address).network) for address in found} for leaf, found in own.items()}
    with frr_lab.lab(cluster, texts, tmp_path) as lab:
        both = 2 if sets[:-1] == DUAL + UNNUMBERED else 1
        lab.wait({s.name: both * len(sessions(s)) for s in switches})
        for leaf in leaves:
            far = set().union(*(own[other.name] for other in leaves if other is not leaf))
            loopbacks = {f"{s.loopback}/32" for s in switches} | {f"{s.loopback6}/128" for s in switches}
            routes = converged(lab, leaf.name, far, 4)
            assert set(routes) <= far | loopbacks, "only loopbacks and host prefixes may travel"
            assert f"{leaves[0].loopback6}/128" in routes or leaf is leaves[0]
        first = leaves[0].ports[0]
        for leaf in leaves[1:]:
            host = next(p for p in reversed(leaf.ports) if p.role == "host")
            for address in filter(None, (host.peer_address, host.peer_address6)):
                ping(lab, first.peer, first.peer_port, address.partition("/")[0])


@pytest.mark.parametrize("sets", [STATIC, STATIC + DUAL], ids="+".join)
def test_static_routes_carry_hosts_over_equal_paths(tmp_path: Path, sets: tuple[str, ...]) -> None:
    if lacking := frr_lab.missing():
        pytest.fail(f"the lab lacks {lacking}: `apt-get install frr iproute2 iputils-ping`, run as root")
    cluster, files = cluster_of("leaf-spine", *sets), files_of("leaf-spine", *sets)
    switches = list(cluster.switches())
    texts = {s.name: as_bgpcfgd_without_bgp(files, s) for s in switches}
    tmp_path.chmod(0o755)
    leaves = [s for s in switches if s.is_lowest]
    with frr_lab.lab(cluster, texts, tmp_path) as lab:
        for switch in switches:
            wanted = {r.prefix: len(r.hops) for r in switch.routes if r.hops}
            installed(lab, switch.name, wanted)
        first = leaves[0].ports[0]
        for leaf in leaves[1:]:
            host = next(p for p in reversed(leaf.ports) if p.role == "host")
            for address in filter(None, (host.peer_address, host.peer_address6)):
                ping(lab, first.peer, first.peer_port, address.partition("/")[0])
        nobody = leaves[0].services[0].host_subnet.replace(".0/25", ".126")
        assert '"blackhole":true' in "".join(lab.vtysh(leaves[0].name, f"show ip route {nobody} json").split())


def installed(lab: frr_lab.Lab, switch: str, wanted: dict[str, int]) -> None:
    """Wait until a switch has its static routes in the kernel, each over so many next hops."""
    deadline = time.monotonic() + 60
    while True:
        routes = json.loads(lab.vtysh(switch, "show ip route static json"))
        routes |= json.loads(lab.vtysh(switch, "show ipv6 route static json"))
        found = {p: sum(bool(hop.get("fib")) for hop in routes[p][0]["nexthops"]) for p in wanted.keys() & routes}
        if found == wanted:
            return
        assert time.monotonic() < deadline, f"{switch}: {found}, wanted {wanted}"
        time.sleep(0.5)
