"""dns/: zones of the names of devices and their ports, forward and reverse, and BIND's list of these zones.

Zone files follow RFC 1035 (5.1), with IPv6 by RFC 3596. Reverse zones are of 256 IPv4 addresses (RFC 1035, 3.5) or of
an IPv6 /64, so that no zone claims addresses of others. The serial number is made of the records, because the clock is
not read: it changes with them, but may fall as well as rise (RFC 1982).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from socket import AF_INET6, inet_pton
from zlib import crc32

from fabricgen.cluster import Cluster
from fabricgen.export.boot import BootServer
from fabricgen.export.operations import list_named_addresses
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.diagnostics import fault

TTL_S = 3600
"""How long a resolver may keep a record, s."""
TIMERS = "3600 900 1209600 300"
"""Refresh, retry, expiry and the life of negative answers, s (RFC 1912, 2.2; RFC 2308)."""

V6_ZONE_NIBBLES = 16
"""Hexadecimal digits of the prefix of a reverse zone, an IPv6 /64."""
LONGEST = 253
"""The most characters of a name without the dot at its end: 255 octets with the lengths of labels (RFC 1035, 2.3.4)."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield dns/ZONE.zone for each zone, forward ones first, and dns/named.conf, which names all of them."""
    domains = Domains(cluster)
    forward: dict[str, list[str]] = {}
    reverse: dict[str, dict[str, str]] = {}
    for named in list_named_addresses(cluster):
        domain, kind = domains.find_domain(named.device), "AAAA" if ":" in named.address else "A"
        names = [*([named.device] if named.is_main else []), f"{named.label}.{named.device}"]
        forward.setdefault(domain, []).extend(f"{name} {kind} {named.address}" for name in names)
        zone, label = _reverse_address(named.address)
        reverse.setdefault(zone, {}).setdefault(label, f"{label} PTR {names[0]}.{domain}.")
        _check_length(cluster, f"{names[-1]}.{domain}")
    first_domain = next(iter(forward), domains.usual_domain)
    for domain, records in forward.items():
        yield f"dns/{domain}.zone", _write_zone(domains.list_server_records(domain, records=True), domain, records)
    zones = sorted(reverse)
    for zone in zones:
        servers = domains.list_server_records(first_domain, records=False)
        yield f"dns/{zone}.zone", _write_zone(servers, first_domain, list(reverse[zone].values()))
    declarations = (f'zone "{zone}" {{ type primary; file "{zone}.zone"; }};\n' for zone in (*forward, *zones))
    yield "dns/named.conf", "".join(declarations).encode()


def _check_length(cluster: Cluster, name: str) -> None:
    """Raise InputError (FG040) for a name that is longer than DNS names can be."""
    if len(name) > LONGEST:
        hint = f"a name has at most {LONGEST} characters: take a shorter domain"
        message, path = f"the name {name} has {len(name)}", ("management", "dns", "domain")
        raise cluster.design.loaded.locate_error(fault("FG040", message, path=path, hint=hint))


class Domains:
    """The domains of devices, as `management.dns` states them for each fabric, and their name servers."""

    def __init__(self, cluster: Cluster) -> None:
        self._server, self._devices = BootServer(cluster), frozenset(cluster.names)
        self.usual_domain = f"{cluster.design.loaded.blueprint.name}.internal"
        """The domain if none is stated: below a name that nobody will have in the public DNS."""
        self._domain_by_device: dict[str, str] = {}
        self._fabric_by_domain: dict[str, str] = {}
        for cls in cluster.plan.devices.classes:
            dns = self._server.find_settings(cls.fabric).dns
            domain = dns.domain if dns and dns.domain else self.usual_domain
            self._domain_by_device.update(dict.fromkeys(cluster.names[cls.rows], domain))
            self._fabric_by_domain.setdefault(domain, cls.fabric)

    def find_domain(self, device: str) -> str:
        """Return the domain of a device."""
        return self._domain_by_device[device]

    def list_server_records(self, domain: str, *, records: bool) -> list[str]:
        """Return the NS records of a domain and, with `records`, also the address records of its name servers.

        Servers are called ns1, ns2 and so on, without names that devices have. If no server is stated, the only record
        names localhost.
        """
        dns = self._server.find_settings(self._fabric_by_domain.get(domain, "")).dns
        free = (name for n in count(1) if (name := f"ns{n}") not in self._devices)
        servers: Mapping[str, str] = dict(zip(free, dns.servers if dns else (), strict=False))
        if not servers:
            return ["@ NS localhost."]
        addresses = [f"{name} {'AAAA' if ':' in server else 'A'} {server}" for name, server in servers.items()]
        return [*(f"@ NS {name}.{domain}." for name in servers), *(addresses if records else [])]


def _write_zone(servers: list[str], domain: str, records: list[str]) -> bytes:
    """Return a zone file; `domain` is the domain of its name servers and their hostmaster."""
    body = "\n".join([*servers, *records]) + "\n"
    primary, serial = servers[0].rpartition(" ")[2], crc32(body.encode()) or 1
    soa = f"@ SOA {primary} hostmaster.{domain}. {serial} {TIMERS}"
    return f"$TTL {TTL_S}\n{soa}\n{body}".encode()


def _reverse_address(address: str) -> tuple[str, str]:
    """Return the zone of an address's reverse name, and the name in that zone."""
    if ":" not in address:
        a, b, c, d = address.split(".")
        return f"{c}.{b}.{a}.in-addr.arpa", d
    digits = inet_pton(AF_INET6, address).hex()
    head, tail = digits[:V6_ZONE_NIBBLES], digits[V6_ZONE_NIBBLES:]
    return ".".join(reversed(head)) + ".ip6.arpa", ".".join(reversed(tail))
