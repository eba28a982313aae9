"""How switches are managed: servers, accounts and their public keys, telemetry. Secrets are references alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.adopt.settings.draft import Draft, Pair, Stated, drop_empty, shorten, state_by_fabric
from fabricgen.adopt.settings.services import sort_server

KEYS = ("users", "aaa", "ntp", "dns", "syslog", "snmp", "gnmi", "banner", "timezone")


def infer_management(draft: Draft) -> list[Stated]:
    """The section of the cluster, and what fabrics have of their own, key by key."""
    owners = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]
    stated, lacking = list[Stated](), {pair.fabric for pair in draft.list_pairs() if pair.view.lacks("users")}
    for key in KEYS:

        def ask(fabric: str, pair: Pair, key: str = key) -> Iterator[Any]:
            if pair.fabric == fabric and not (key == "users" and pair.view.lacks("users")):
                yield _write_sections(pair)[key]

        votes = draft.count_votes(owners, ask)
        present = {name: vote for name, vote in votes.items() if vote.value is not None}
        # a fabric cannot take back accounts of the cluster, and accounts are refused where a NOS has none
        together = len(present) == len(votes) and not (key == "users" and lacking)
        stated += state_by_fabric(present, ("management", key), together=together)
        if key == "users" and (mixed := sorted(lacking & present.keys())):
            stated.append(_waive_accounts(draft, mixed))
    return stated


def _waive_accounts(draft: Draft, fabrics: list[str]) -> Stated:
    """A waiver for fabrics some of whose switches have accounts and some run a NOS whose configuration has none."""
    waived = list((draft.page.get("lint") or {}).get("waive") or [])
    why = "accounts of other switches are no part of their configuration"
    rows = [{"rule": "FG703", "at": f"fabrics/{name}/management/users", "why": why} for name in fabrics]
    return Stated(("lint", "waive"), [*waived, *(row for row in rows if row not in waived)], len(rows))


def _write_sections(pair: Pair) -> dict[str, Any]:
    """The sections of a switch as a page has them, None where it has none."""
    management, view = pair.running.management, pair.view
    ntp, dns, syslog = (
        shorten(servers if view.dialect.ranks_servers else sorted(servers, key=sort_server))
        for servers in (management.ntp, management.dns, management.syslog)
    )
    users = {
        name: drop_empty(
            role=user.role if user.role != "admin" else "",
            password=f"{name_variable(name)}_HASH" if user.password_hash else "",
            ssh_keys=sorted(user.keys),
        )
        for name, user in sorted(management.users.items())
    }
    readers = {
        name: {"auth": f"{name_variable(name)}_AUTH", "privacy": f"{name_variable(name)}_PRIVACY"}
        for name in sorted(management.snmp_users)
    }
    protocol = management.aaa[0][0] if management.aaa else ""
    level = management.syslog_level if management.syslog_level != "informational" else ""
    port = management.gnmi_port if management.gnmi_port != view.naming.systems.gnmi_port else 0
    return {
        "users": users or None,
        # whether servers share a key is not read: a reference does no harm
        "aaa": {
            "protocol": protocol,
            "servers": shorten([server for _, server in management.aaa]),
            "key": f"{name_variable(protocol)}_KEY",
        }
        if protocol
        else None,
        "ntp": ntp or None,
        "dns": drop_empty(servers=dns, domain=management.domain) or None,
        "syslog": drop_empty(servers=syslog, level=level) if syslog else None,
        "snmp": {"users": readers} if readers else None,
        "gnmi": drop_empty(port=port) if management.gnmi_port else None,
        "banner": drop_empty(login=management.login_banner, motd=management.motd) or None,
        "timezone": management.timezone or None,
    }


def name_variable(name: str) -> str:
    """The reference to a secret of a name: an environment variable that whoever builds sets."""
    return "env:FABRICGEN_" + "".join(c if c.isalnum() else "_" for c in name.upper())
