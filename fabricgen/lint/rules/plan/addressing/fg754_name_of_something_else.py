"""FG754: a name leads to something else than what is meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.addressing import list_stated_servers

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

ELSEWHERE = {"local": "multicast DNS (RFC 6762)", "localhost": "each machine itself (RFC 6761)"}
"""Last labels of names for which hosts do not ask resolvers, and what answers in their place."""
NOWHERE = ("invalid", "onion")
"""Last labels of names that no resolver knows (RFC 6761, RFC 7686)."""


class NameOfSomethingElse(PlanRule):
    """A server has the name of a switch or a compute node of the plan, or a domain that resolvers are not asked for.

    The zones of the part `dns` have the names of all devices: a server that is called as one of them resolves to that
    device, which has no such service. Names below `.local` are asked for by multicast where mDNS is installed, so that
    some hosts find them and others do not; those below `.localhost`, `.invalid` and `.onion` are never in the DNS.

    Give the server, or the domain, another name.
    """

    severity = Severity.WARNING
    bad = """
        management:
          ntp: compute-spine-01  # <-
          dns:
            servers: 10.32.0.5
            domain: fabric.local  # <-
    """
    good = """
        management:
          ntp: clock-1
          dns: {servers: 10.32.0.5, domain: fabric.example.net}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag domains and names of servers that no resolver is asked for, and names of switches or nodes
        that compute.
        """
        from fabricgen.lint.subjects.address_owners import has_accelerators
        from fabricgen.wiring.tables import SWITCH

        devices, rows = cluster.plan.devices, {name: row for row, name in enumerate(cluster.names)}
        for path, name, domain in _list_stated_names(cluster):
            last = name.rpartition(".")[2]
            row = rows.get(name.removesuffix(f".{domain}") if domain else name)
            of_class = None if row is None else devices.classes[devices.device_class[row]]
            if last in ELSEWHERE or last in NOWHERE:
                answers = f"is answered by {ELSEWHERE[last]}" if last in ELSEWHERE else "is in no DNS"
                yield self.flag(path, f"{name} {answers}: resolvers are not asked for it", "take another domain")
            elif of_class and (of_class.kind == SWITCH or has_accelerators(of_class)):
                is_switch = of_class.kind == SWITCH
                role = f"{of_class.tier} switch of {of_class.fabric}" if is_switch else "node that computes"
                yield self.flag(path, f"{name} is a {role} in the zones of `dns`", "name a server")


def _list_stated_names(cluster: Cluster) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, name, "") for each stated domain, and (path, name, domain of the switches) for each server that is
    given by name.
    """
    from fabricgen.lint.subjects.addressing import list_stated_managements
    from fabricgen.lint.subjects.managed import is_name

    shared = cluster.design.loaded.blueprint.management
    for base, management in list_stated_managements(cluster.design):
        dns = management.dns or shared.dns
        domain = (dns.domain or "") if dns else ""
        if management.dns and management.dns.domain:
            yield (*base, "dns", "domain"), domain, ""
        for keys, server in list_stated_servers(management):
            if is_name(server):
                yield (*base, *keys), server.lower().rstrip("."), domain
