"""List the address pools, prefixes, servers and AS numbers that a blueprint states, for the rules on addressing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import ip_address, ip_network
from itertools import chain
from urllib.parse import urlsplit

from fabricgen.blueprint.beside.adopted import ADOPTED, parse_adopted_section
from fabricgen.blueprint.sections.host_services import Advertisements
from fabricgen.blueprint.sections.management import Management
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.lint.subjects.managed import list_scopes
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.family import FAMILIES, Network, filter_prefixes
from fabricgen.numbering.blocks.pools import find_pool_prefixes


def list_stated_pools(design: Design) -> Iterator[tuple[Path, Network]]:
    """Yield (path, prefix) for every prefix of the pools that the blueprint states."""
    for scope, stated in list_scopes(design):
        for name, prefixes in stated.pools:
            yield from (((*scope, "pools", name), ip_network(prefix)) for prefix in prefixes or ())


def is_overlapping(a: Network, b: Network) -> bool:
    """Whether two prefixes have addresses in common; prefixes of different families have none."""
    return a.version == b.version and int(a[0]) <= int(b[-1]) and int(b[0]) <= int(a[-1])


def is_within(part: Network, prefix: Network, longest: int = 128) -> bool:
    """Whether `part` is `prefix` or lies in it, and is at most `longest` bits long."""
    return is_overlapping(part, prefix) and prefix.prefixlen <= part.prefixlen <= longest


def find_overlapping_range(prefix: Network, ranges: Iterable[tuple[Network, str]]) -> tuple[Network, str] | None:
    """Return the first (range, its name) that overlaps a prefix; None if no range does."""
    return next((named_range for named_range in ranges if is_overlapping(prefix, named_range[0])), None)


def list_drawn_pools(design: Design) -> frozenset[tuple[Path, str]]:
    """Return (path, word of the address family) for every pool that addresses are allocated from; a default pool has
    the path at which it would be stated.
    """
    blueprint = design.loaded.blueprint
    return frozenset(
        (find_pool_prefixes(blueprint, demand.fabric, demand.pool, demand.family)[2], demand.family.word)
        for demand in list_pool_demands(design)
    )


def list_drawn_prefixes(design: Design) -> list[tuple[Path, Network]]:
    """Return (path, prefix) for every prefix of the pools that addresses are allocated from, stated or default."""
    drawn = []
    for path, word in sorted(list_drawn_pools(design)):
        family = next(family for family in FAMILIES if family.word == word)
        fabric = str(path[1]) if path[0] == "fabrics" else ""
        prefixes = find_pool_prefixes(design.loaded.blueprint, fabric, str(path[-1]), family)[0]
        drawn += [(path, ip_network(prefix)) for prefix in prefixes]
    return drawn


def list_default_pools(design: Design) -> Iterator[tuple[str, Network]]:
    """Yield (name, prefix) for every prefix of the built-in pools that are used since the blueprint states none."""
    drawn = list_drawn_pools(design)
    for family in FAMILIES:
        for name, prefixes in family.default_pools.items():
            stated = filter_prefixes(getattr(design.loaded.blueprint.pools, name), family)
            if not stated and (("pools", name), family.word) in drawn:
                yield from ((name, ip_network(prefix)) for prefix in prefixes)


def list_stated_managements(design: Design) -> Iterator[tuple[Path, Management]]:
    """Yield (path, management settings) as the cluster states them and as each fabric does, by name."""
    return (((*scope, "management"), stated.management) for scope, stated in list_scopes(design))


def list_stated_servers(management: Management) -> Iterator[tuple[Path, str]]:
    """Yield (path below the settings, address or name) for every server that management settings state."""
    boot = urlsplit(management.ztp.url or "").hostname if management.ztp else None
    stated: tuple[tuple[Path, Iterable[str]], ...] = (
        (("aaa", "servers"), management.aaa.servers if management.aaa else ()),
        (("ntp",), management.ntp),
        (("dns", "servers"), management.dns.servers if management.dns else ()),
        (("syslog", "servers"), management.syslog.servers if management.syslog else ()),
        (("ztp", "url"), [boot] if boot else ()),
    )
    yield from ((keys, server) for keys, servers in stated for server in servers)


def list_management_servers(design: Design) -> Iterator[tuple[Path, Network]]:
    """Yield (path, address) for every server of the management settings that is given by address and not by name."""
    for base, management in list_stated_managements(design):
        for keys, server in list_stated_servers(management):
            try:
                yield (*base, *keys), ip_network(ip_address(server))
            except ValueError:
                continue


def list_host_servers(design: Design) -> Iterator[tuple[Path, Network]]:
    """Yield (path, address) for every DHCP server that hosts are relayed to, and every resolver that router
    advertisements tell them.
    """
    for name, fabric in sorted(design.loaded.blueprint.fabrics.items()):
        advertisements = fabric.router_advertisements
        resolvers = advertisements.resolvers if isinstance(advertisements, Advertisements) else ()
        base: Path = ("fabrics", name)
        for server in fabric.dhcp.servers if fabric.dhcp else ():
            yield (*base, "dhcp", "servers"), ip_network(server)
        yield from (((*base, "router_advertisements", "resolvers"), ip_network(server)) for server in resolvers)


def list_server_addresses(design: Design) -> Iterator[tuple[Path, Network]]:
    """Yield (path, address) for every server that is given by address, of switches and then of hosts."""
    return chain(list_management_servers(design), list_host_servers(design))


def list_override_addresses(design: Design) -> Iterator[tuple[Path, str, Network]]:
    """Yield (path, `loopback`, `management` or `port`, address) for every address that is stated for a single
    device.
    """
    for name, stated in sorted(design.loaded.blueprint.address_of.items()):
        texts_by_path: list[tuple[Path, str, Iterable[str]]] = [
            (("loopback",), "loopback", stated.loopback or ()),
            (("management",), "management", stated.management or ()),
            *((("links", port), "port", texts) for port, texts in sorted(stated.links.items())),
        ]
        for keys, kind, texts in texts_by_path:
            yield from ((("address_of", name, *keys), kind, ip_network(text)) for text in texts)


def list_stated_asns(design: Design) -> Iterator[tuple[Path, str]]:
    """Yield (path, number or range) for every statement of AS numbers: of pools, tiers and single devices."""
    for scope, stated in list_scopes(design):
        path, plan = (*scope, "routing", "asn"), stated.routing.asn
        if plan is not None:
            if "pool" in plan.model_fields_set:
                yield (*path, "pool"), plan.pool
            yield from (((*path, "tiers", tier), text) for tier, text in sorted(plan.tiers.items()))
    for name, override in sorted(design.loaded.blueprint.address_of.items()):
        if override.asn is not None:
            yield ("address_of", name, "asn"), str(override.asn)


def list_adopted_asns(design: Design) -> Iterator[tuple[Path, str]]:
    """Yield (path into the lock file, number) for every AS number that was adopted from a running fabric."""
    for key, value in sorted(parse_adopted_section(design.layout.lock.find_words(ADOPTED)).items()):
        if key.what == "asn":
            yield (ADOPTED, key.text()), value
