"""Consistency of the tables of management: what their YANG models ask of other rows and tables.

Sources: the `must` and `when` statements of sonic-buildimage, src/sonic-yang-models/yang-models,
sonic-mgmt_interface.yang, sonic-dns.yang, sonic-ntp.yang, sonic-syslog.yang, sonic-snmp.yang, sonic-system-aaa.yang,
sonic-system-tacacs.yang and sonic-system-radius.yang.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.render.checks.problem import Problem
from fabricgen.render.checks.relations import interface_of
from fabricgen.render.checks.shape import Fields, Tables


def check_management(tables: Tables) -> Iterator[Problem]:
    """Yield problems that no single row of management shows."""
    yield from _management(tables)
    yield from _names(tables)
    yield from _logs(tables)
    yield from _virtual(tables)
    yield from _snmp(tables)
    yield from _logins(tables)
    yield from _telemetry(tables)


def _management(tables: Tables) -> Iterator[Problem]:
    for key, fields in tables.get("MGMT_INTERFACE", {}).items():
        own, gateway = interface_of(key.partition("|")[2]), interface_of(fields.get("gwaddr", ""))
        if own and gateway and gateway.ip not in own.network:
            found = f"'{gateway.ip}' is not in the subnet"
            yield Problem("MGMT_INTERFACE", key, "gwaddr", found, f"an address of {own.network}")


def _telemetry(tables: Tables) -> Iterator[Problem]:
    """Yield gNMI without a port, with which its server does not start (dockers/docker-sonic-gnmi/gnmi-native.sh)."""
    if "port" not in tables.get("GNMI", {}).get("gnmi", {"port": ""}):
        yield Problem("GNMI", "gnmi", "port", "the field is missing", "a port, such as 8080")


def _names(tables: Tables) -> Iterator[Problem]:
    if tables.get("DNS_OPTIONS", {}).get("GLOBAL") and not tables.get("DNS_NAMESERVER"):
        yield Problem("DNS_OPTIONS", "GLOBAL", found="options without a resolver", wanted="a row in DNS_NAMESERVER")


def _logs(tables: Tables) -> Iterator[Problem]:
    """Yield sources of logs in another family than their server's; a server by name is of neither."""
    for key, fields in tables.get("SYSLOG_SERVER", {}).items():
        source = fields.get("source", "")
        if source and not (("." in source and "." in key) or (":" in source and ":" in key)):
            yield Problem("SYSLOG_SERVER", key, "source", f"'{source}'", "an address of the server's family")


def _virtual(tables: Tables) -> Iterator[Problem]:
    """Yield services in a VRF that there is not."""
    has = tables.get("MGMT_VRF_CONFIG", {}).get("vrf_global", {}).get("mgmtVrfEnabled") == "true"
    for table in ("NTP", "SYSLOG_SERVER"):
        for key, fields in tables.get(table, {}).items():
            vrf = fields.get("vrf", "")
            if vrf == "mgmt" and not has:
                wanted = "mgmtVrfEnabled true in MGMT_VRF_CONFIG"
                yield Problem(table, key, "vrf", "'mgmt' without a management VRF", wanted)
            elif vrf not in ("", "default", "mgmt", *tables.get("VRF", {})):
                yield Problem(table, key, "vrf", f"'{vrf}' has no row in VRF", "default, mgmt or a row of VRF")


_SNMP_PARTS = {
    "noAuthNoPriv": (),
    "AuthNoPriv": ("AUTH",),
    "Priv": ("AUTH", "ENCRYPTION"),
}
"""Type of a user -> the parts that have a type and a password; the others have none."""


def _snmp(tables: Tables) -> Iterator[Problem]:
    for key, fields in tables.get("SNMP_USER", {}).items():
        kind = fields.get("SNMP_USER_TYPE", "")
        if kind in _SNMP_PARTS:
            yield from _snmp_parts(key, kind, fields)


def _snmp_parts(key: str, kind: str, fields: Fields) -> Iterator[Problem]:
    for part in ("AUTH", "ENCRYPTION"):
        for what in ("TYPE", "PASSWORD"):
            field = f"SNMP_USER_{part}_{what}"
            if part not in _SNMP_PARTS[kind] and fields.get(field):
                yield Problem("SNMP_USER", key, field, f"set for a user of type {kind}", "an empty value")
            elif part in _SNMP_PARTS[kind] and not fields.get(field):
                yield Problem("SNMP_USER", key, field, f"missing or empty for a user of type {kind}", "a value")


def _logins(tables: Tables) -> Iterator[Problem]:
    """Yield login methods whose servers, or whose key, are missing."""
    for key, fields in tables.get("AAA", {}).items():
        words = fields.get("login", "").split(",")
        for word, servers in (("tacacs+", "TACPLUS_SERVER"), ("radius", "RADIUS_SERVER")):
            if word in words and not tables.get(servers):
                yield Problem("AAA", key, "login", f"'{word}' without servers", f"rows in {servers}")
        has_key = "passkey" in tables.get("TACPLUS", {}).get("global", {})
        if key == "authentication" and "tacacs+" in words and not has_key:
            yield Problem("AAA", key, "login", "'tacacs+' without a key", "passkey in TACPLUS|global")
