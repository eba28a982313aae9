"""Address pools, prefixes and AS numbers of a design, for the rules on addressing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from fabricgen.blueprint.beside.adopted import ADOPTED, parse_adopted_section
from fabricgen.blueprint.sections.host_services import Advertisements
from fabricgen.blueprint.sections.management import Management
from fabricgen.blueprint.sections.routing import AsnPlan, Pools
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.family import FAMILIES, Network, filter_prefixes
from fabricgen.numbering.blocks.pools import find_pool_prefixes


def list_stated_pools(design: Design) -> Iterator[tuple[Path, Network]]:
    """(path, prefix) of every pool the blueprint states."""
    blueprint = design.loaded.blueprint
    scopes: list[tuple[Path, Pools]] = [(("pools",), blueprint.pools)]
    scopes += [(("fabrics", name, "pools"), fabric.pools) for name, fabric in sorted(blueprint.fabrics.items())]
    for path, pools in scopes:
        for name, prefixes in pools:
            for prefix in prefixes or ():
                yield (*path, name), ip_network(prefix)


def is_overlapping(a: Network, b: Network) -> bool:
    """Whether two prefixes share addresses; those of different families never do."""
    if isinstance(a, IPv4Network):
        return isinstance(b, IPv4Network) and a.overlaps(b)
    return isinstance(b, IPv6Network) and a.overlaps(b)


def is_within(part: Network, prefix: Network, longest: int = 128) -> bool:
    """Whether a prefix is a part of another, or that itself, of at most so many bits."""
    return is_overlapping(part, prefix) and prefix.prefixlen <= part.prefixlen <= longest


def find_overlapping_range(prefix: Network, ranges: Iterable[tuple[Network, str]]) -> tuple[Network, str] | None:
    """The first of some named ranges that overlaps a prefix; None for none."""
    return next((named_range for named_range in ranges if is_overlapping(prefix, named_range[0])), None)


def list_drawn_pools(design: Design) -> frozenset[tuple[Path, str]]:
    """(path, address family) of every pool that addresses are allocated from; the path of a default pool is where it
    would be stated.
    """
    blueprint = design.loaded.blueprint
    return frozenset(
        (find_pool_prefixes(blueprint, demand.fabric, demand.pool, demand.family)[2], demand.family.word)
        for demand in list_pool_demands(design)
    )


def list_drawn_prefixes(design: Design) -> list[tuple[Path, Network]]:
    """(path, prefix) of every pool that addresses are allocated from, stated or default."""
    drawn = []
    for path, word in sorted(list_drawn_pools(design)):
        family = next(family for family in FAMILIES if family.word == word)
        fabric = str(path[1]) if path[0] == "fabrics" else ""
        prefixes = find_pool_prefixes(design.loaded.blueprint, fabric, str(path[-1]), family)[0]
        drawn += [(path, ip_network(prefix)) for prefix in prefixes]
    return drawn


def list_default_pools(design: Design) -> Iterator[tuple[str, Network]]:
    """(name, prefix) of the built-in pools in use because the blueprint states none."""
    drawn = list_drawn_pools(design)
    for family in FAMILIES:
        for name, prefixes in family.default_pools.items():
            stated = filter_prefixes(getattr(design.loaded.blueprint.pools, name), family)
            if not stated and (("pools", name), family.word) in drawn:
                yield from ((name, ip_network(prefix)) for prefix in prefixes)


def list_stated_managements(design: Design) -> Iterator[tuple[Path, Management]]:
    """(path, settings) of management: the cluster's, then each fabric's."""
    yield ("management",), design.loaded.blueprint.management
    for name, fabric in sorted(design.loaded.blueprint.fabrics.items()):
        yield ("fabrics", name, "management"), fabric.management


def list_stated_servers(management: Management) -> Iterator[tuple[Path, str]]:
    """(path below the settings, address or name) of every server of some settings."""
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
    """(path, address) of every server that switches are managed by and that is given by address, not by name."""
    for base, management in list_stated_managements(design):
        for keys, server in list_stated_servers(management):
            try:
                yield (*base, *keys), ip_network(ip_address(server))
            except ValueError:
                continue


def list_host_servers(design: Design) -> Iterator[tuple[Path, Network]]:
    """(path, address) of every server that hosts are relayed to, or told of by router advertisements."""
    for name, fabric in sorted(design.loaded.blueprint.fabrics.items()):
        advertisements = fabric.router_advertisements
        stated: tuple[tuple[Path, Iterable[str]], ...] = (
            (("dhcp", "servers"), fabric.dhcp.servers if fabric.dhcp else ()),
            (
                ("router_advertisements", "resolvers"),
                advertisements.resolvers if isinstance(advertisements, Advertisements) else (),
            ),
        )
        for keys, servers in stated:
            yield from ((("fabrics", name, *keys), ip_network(server)) for server in servers)


def list_server_addresses(design: Design) -> Iterator[tuple[Path, Network]]:
    """(path, address) of every server that is given by address."""
    yield from list_management_servers(design)
    yield from list_host_servers(design)


def list_override_addresses(design: Design) -> Iterator[tuple[Path, str, Network]]:
    """(path, kind (loopback, management or port), address) of every address stated for a single device."""
    for name, stated in sorted(design.loaded.blueprint.address_of.items()):
        base: Path = ("address_of", name)
        for text in stated.loopback or ():
            yield (*base, "loopback"), "loopback", ip_network(text)
        for text in stated.management or ():
            yield (*base, "management"), "management", ip_network(text)
        for port, texts in sorted(stated.links.items()):
            for text in texts:
                yield (*base, "links", port), "port", ip_network(text)


def list_stated_asns(design: Design) -> Iterator[tuple[Path, str]]:
    """(path, number or range) of every AS number that the blueprint states: pools, tiers and single devices."""
    blueprint = design.loaded.blueprint
    plans: list[tuple[Path, AsnPlan | None]] = [(("routing", "asn"), blueprint.routing.asn)]
    plans += [(("fabrics", n, "routing", "asn"), f.routing.asn) for n, f in sorted(blueprint.fabrics.items())]
    for path, plan in plans:
        if plan is not None:
            if "pool" in plan.model_fields_set:
                yield (*path, "pool"), plan.pool
            yield from (((*path, "tiers", tier), text) for tier, text in sorted(plan.tiers.items()))
    for name, stated in sorted(blueprint.address_of.items()):
        if stated.asn is not None:
            yield ("address_of", name, "asn"), str(stated.asn)


def list_adopted_asns(design: Design) -> Iterator[tuple[Path, str]]:
    """(path into the lock, number) of every AS number adopted from a running fabric."""
    for key, value in sorted(parse_adopted_section(design.layout.lock.find_words(ADOPTED)).items()):
        if key.what == "asn":
            yield (ADOPTED, key.text()), value
