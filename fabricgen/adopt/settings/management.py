"""How switches are managed: servers, accounts and their public keys, telemetry. Secrets are references alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from fabricgen.adopt.settings.draft import Draft, Pair, Stated, Vote, state_by_fabric
from fabricgen.adopt.settings.services import sort_server
from fabricgen.switch.model import SwitchManagement

REFERENCE = "env:FABRICGEN_{}"
"""What a secret is referred to by: an environment variable that whoever builds sets."""


def infer_management(draft: Draft) -> list[Stated]:
    """The section of the cluster, and what fabrics have of their own, key by key."""
    owners = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]
    stated, lacking = list[Stated](), {pair.fabric for pair in draft.list_pairs() if pair.view.lacks("users")}
    for key in ("users", "aaa", "ntp", "dns", "syslog", "snmp", "gnmi", "banner", "timezone"):

        def ask(fabric: str, pair: Pair, key: str = key) -> Iterator[Hashable]:
            if pair.fabric == fabric and not (key == "users" and pair.view.lacks("users")):
                yield tuple(_list_settings(key, pair))

        votes = {name: _write_vote(key, vote) for name, vote in draft.count_votes(owners, ask).items()}
        present = {name: vote for name, vote in votes.items() if vote.value is not None}
        # a fabric cannot take back accounts of the cluster, and accounts are refused where a NOS has none
        together = len(present) == len(votes) and not (key == "users" and lacking)
        stated += state_by_fabric(present, ("management", key), together=together)
        if key == "users" and present:
            stated += _waive_accounts(draft, lacking & present.keys())
    return stated


def _waive_accounts(draft: Draft, fabrics: set[str]) -> Iterator[Stated]:
    """A waiver for fabrics some of whose switches have accounts and some run a NOS whose configuration has none."""
    if not fabrics:
        return
    waived = list((draft.page.get("lint") or {}).get("waive") or [])
    why = "accounts of other switches are no part of their configuration"
    rows = [{"rule": "FG703", "at": f"fabrics/{name}/management/users", "why": why} for name in sorted(fabrics)]
    yield Stated(("lint", "waive"), [*waived, *(row for row in rows if row not in waived)], len(rows))


def _list_settings(key: str, pair: Pair) -> Iterator[tuple[str, Any]]:
    """(name, value) of what a switch has in a section; lists without an order of their own are sorted."""
    management: SwitchManagement = pair.running.management
    if key == "users":
        for name, user in sorted(management.users.items()):
            yield name, (user.role, tuple(sorted(user.keys)), bool(user.password_hash))
    elif key == "aaa" and management.aaa:
        yield "protocol", management.aaa[0][0]
        yield "servers", tuple(server for _, server in management.aaa)
    elif key == "snmp":
        yield from ((name, "") for name in sorted(management.snmp_users))
    elif key == "gnmi" and management.gnmi_port:
        usual = pair.view.naming.systems.gnmi_port
        yield "port", 0 if management.gnmi_port == usual else management.gnmi_port
    elif key == "timezone" and management.timezone:
        yield "timezone", management.timezone
    elif key == "banner":
        yield from ((n, text) for n, text in (("login", management.login_banner), ("motd", management.motd)) if text)
    elif key in ("ntp", "dns", "syslog"):
        servers = getattr(management, key)
        if servers:
            yield "servers", servers if pair.view.dialect.ranks_servers else tuple(sorted(servers, key=sort_server))
        if key == "dns" and management.domain:
            yield "domain", management.domain
        if key == "syslog" and servers and management.syslog_level not in ("", "informational"):
            yield "level", management.syslog_level


def _write_vote(key: str, vote: Vote) -> Vote:
    """A vote with its value as the page has it; None where there is nothing."""
    settings: dict[str, Any] = dict(vote.value)
    if not settings:
        return vote._replace(value=None)
    return vote._replace(value=_write_section(key, settings))


def _write_section(key: str, settings: Mapping[str, Any]) -> Any:
    if key == "users":
        return {name: _write_user(name, *user) for name, user in settings.items()}
    if key == "snmp":
        secrets = {name: _name_variable(name) for name in settings}
        users = {n: {"auth": f"{s}_AUTH", "privacy": f"{s}_PRIVACY"} for n, s in secrets.items()}
        return {"users": users}
    if key == "gnmi":
        return {"port": settings["port"]} if settings["port"] else {}
    if key == "timezone":
        return settings["timezone"]
    section = {name: _shorten(value) for name, value in settings.items()}
    return section["servers"] if key == "ntp" else section


def _write_user(name: str, role: str, keys: tuple[str, ...], has_password: bool) -> dict[str, Any]:
    return {
        **({"role": role} if role != "admin" else {}),
        **({"password": f"{_name_variable(name)}_HASH"} if has_password else {}),
        **({"ssh_keys": list(keys)} if keys else {}),
    }


def _name_variable(name: str) -> str:
    return REFERENCE.format("".join(c if c.isalnum() else "_" for c in name.upper()))


def _shorten(value: Any) -> Any:
    """A list of one as that one."""
    return (value[0] if len(value) == 1 else list(value)) if isinstance(value, tuple) else value
