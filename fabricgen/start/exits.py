"""The ways out of a page: routers of providers, those of all and those of a tenant, and the exits that lead to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fabricgen.start.answers import Answers, Provider
from fabricgen.start.lines import POOLS, SERVERS


def write_exits(answers: Answers, tier: str) -> list[str]:
    """Return lines of the in-band network: the routers of providers at the switches of a tier, and exits by which the
    default route comes in, and where it is for all that to the servers of management; hosts are announced.
    """
    by_name = {provider.name: provider for provider in answers.providers}
    sets = [("wan", "internet", answers.shared_providers)]
    for tenant in answers.tenants:
        providers = tuple(by_name[name] for name in tenant.providers)
        sets.append((name_routers(tenant.name), f"{tenant.name}-out", providers))
    uses = Counter(provider.name for *_, providers in sets for provider in providers)
    extras, exits = [], []
    for routers, name, providers in sets:
        if providers:
            listed = ", ".join(provider.name for provider in providers)
            # one router meets both switches, unless it has a port for each of several tenants
            ports = 2 if len(providers) == uses[providers[0].name] == 1 else 1
            device = f"device: external-router, names: [{listed}], ports: {ports}, to: {tier}, speed: 400G"
            extras.append(f"      {routers}: {{{device}}}")
            taken = f"accept: {SERVERS}, " * (routers == "wan")
            words = f"to: {routers}, {_write_numbers(providers)}, {taken}announce: {POOLS['hosts']}, max_prefixes: 10"
            exits.append(f"      {name}: {{{words}}}")
    what = (
        "the default route, and that to the servers of management" if answers.shared_providers else "the default route"
    )
    head = f"    exits:                             # {what}"
    return ["    extra:", *extras, head, *exits]


def name_routers(tenant: str) -> str:
    """Return what the routers of a tenant's providers are called."""
    return f"{tenant}-wan"


def _write_numbers(providers: Sequence[Provider]) -> str:
    """Return the AS number of the first provider, and of each other one."""
    first, *others = providers
    devices = ", ".join(f"{provider.name}: {{asn: {provider.asn}}}" for provider in others)
    return ", ".join([f"asn: {first.asn}", *([f"devices: {{{devices}}}"] if devices else [])])
