"""How the switch is managed: time, names, logs, SNMP, logins, banner, telemetry.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-ntp.yang, sonic-dns.yang, sonic-syslog.yang,
sonic-snmp.yang, sonic-system-aaa.yang, sonic-system-tacacs.yang, sonic-system-radius.yang, sonic-banner.yang,
sonic-gnmi.yang.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Bare, Row, table

STATE = k.one_of("enabled", "disabled")
PASSKEY = k.pattern(r"[^ #,\x00-\x1f\x7f]{1,256}", "1 to 256 characters without blank, # and comma")
RADIUS_PASSKEY = k.pattern(r"[^ #,\x00-\x1f\x7f]{1,65}", "1 to 65 characters without blank, # and comma")
PHRASE_OR_NONE = k.pattern(r"([^ @:\x00-\x1f\x7f]{8,64})?", "8 to 64 characters without blank, @ and :")
TEXT = k.pattern(r"[^\x00-\x09\x0b-\x1f\x7f]*", "printable text")


class Time(Row):
    """NTP|global."""

    admin_state: Annotated[str, Is(STATE)] = ""
    authentication: Annotated[str, Is(STATE)] = ""
    dhcp: Annotated[str, Is(STATE)] = ""
    server_role: Annotated[str, Is(STATE)] = ""
    src_intf: Annotated[str, Is(k.label)] = ""
    vrf: Annotated[str, Is(k.one_of("default", "mgmt"))] = ""


class TimeServer(Row):
    """NTP_SERVER|server."""

    association_type: Annotated[str, Is(k.one_of("server", "pool"))] = ""
    iburst: Annotated[str, Is(k.one_of("on", "off"))] = ""
    resolve_as: Annotated[str, Is(k.server)] = ""
    version: Annotated[str, Is(k.number(3, 4))] = ""


class NameOptions(Row):
    """DNS_OPTIONS|GLOBAL."""

    search: Annotated[str, Is(k.listed(k.host_name))] = ""


class LogServer(Row):
    """SYSLOG_SERVER|server."""

    port: Annotated[str, Is(k.number(1, 65535))] = ""
    protocol: Annotated[str, Is(k.one_of("tcp", "udp"))] = ""
    severity: Annotated[str, Is(k.one_of("none", "debug", "info", "notice", "warn", "error", "crit"))] = ""
    source: Annotated[str, Is(k.address)] = ""
    vrf: Annotated[str, Is(k.label)] = ""


class Contact(Row):
    """SNMP|CONTACT."""

    Contact: Annotated[str, Is(k.name)]


class Location(Row):
    """SNMP|LOCATION."""

    Location: Annotated[str, Is(k.name)]


class SnmpUser(Row):
    """SNMP_USER|name."""

    SNMP_USER_TYPE: Annotated[str, Is(k.one_of("noAuthNoPriv", "AuthNoPriv", "Priv"))]
    SNMP_USER_PERMISSION: Annotated[str, Is(k.one_of("RO", "RW"))]
    SNMP_USER_AUTH_TYPE: Annotated[str, Is(k.one_of("SHA", "MD5", "HMAC-SHA-2", ""))] = ""
    SNMP_USER_AUTH_PASSWORD: Annotated[str, Is(PHRASE_OR_NONE)] = ""
    SNMP_USER_ENCRYPTION_TYPE: Annotated[str, Is(k.one_of("DES", "AES", ""))] = ""
    SNMP_USER_ENCRYPTION_PASSWORD: Annotated[str, Is(PHRASE_OR_NONE)]


_WAYS = k.one_of("tacacs+", "radius", "ldap", "local", "default")


class Logins(Row):
    """AAA|authentication and its like."""

    login: Annotated[str, Is(k.listed(_WAYS))]
    failthrough: Annotated[str, Is(k.one_of("True", "False", "true", "false"))] = ""
    fallback: Annotated[str, Is(k.one_of("True", "False", "true", "false"))] = ""


class LoginKey(Row):
    """TACPLUS|global."""

    auth_type: Annotated[str, Is(k.one_of("pap", "chap", "mschap", "mschapv2", "login"))] = ""
    passkey: Annotated[str, Is(PASSKEY)] = ""
    src_ip: Annotated[str, Is(k.address)] = ""
    timeout: Annotated[str, Is(k.number(1, 60))] = ""


class RadiusKey(LoginKey):
    """RADIUS|global."""

    passkey: Annotated[str, Is(RADIUS_PASSKEY)] = ""


class LoginServer(Row):
    """TACPLUS_SERVER|address; the highest priority is asked first."""

    priority: Annotated[str, Is(k.number(1, 64))] = ""
    auth_port: Annotated[str, Is(k.number(1, 65535))] = ""
    passkey: Annotated[str, Is(PASSKEY)] = ""
    tcp_port: Annotated[str, Is(k.number(1, 65535))] = ""
    timeout: Annotated[str, Is(k.number(1, 60))] = ""


class RadiusServer(LoginServer):
    """RADIUS_SERVER|address; the highest priority is asked first."""

    passkey: Annotated[str, Is(RADIUS_PASSKEY)] = ""


class Banner(Row):
    """BANNER_MESSAGE|global."""

    state: Annotated[str, Is(STATE)]
    login: Annotated[str, Is(TEXT)] = ""
    logout: Annotated[str, Is(TEXT)] = ""
    motd: Annotated[str, Is(TEXT)] = ""


_TRUTH = k.one_of("true", "false")


class Gnmi(Row):
    """GNMI|gnmi; without a port the server does not start (dockers/docker-sonic-gnmi/gnmi-native.sh)."""

    port: Annotated[str, Is(k.number(1, 65535))]
    client_auth: Annotated[str, Is(_TRUTH)] = ""
    log_level: Annotated[str, Is(k.number(0, 100))] = ""


def _path(suffix: str) -> k.Check:
    return k.pattern(rf"(/[A-Za-z0-9_-]+)*/[A-Za-z0-9_-]+\.{suffix}", f"the path of a file that ends in .{suffix}")


class Certificates(Row):
    """GNMI|certs."""

    ca_crt: Annotated[str, Is(_path("cer"))] = ""
    server_crt: Annotated[str, Is(_path("cer"))] = ""
    server_key: Annotated[str, Is(_path("key"))] = ""


_SNMP_NAME = k.pattern(r"[^ :@,\\'\x00-\x1f\x7f]{4,32}", "a name of 4 to 32 characters without blank, : @ , \\ and '")

TABLES = (
    table("AAA", (k.one_of("authentication", "authorization", "accounting"), Logins)),
    table("BANNER_MESSAGE", (k.one_of("global"), Banner)),
    table("DNS_NAMESERVER", (k.address, Bare)),
    table("DNS_OPTIONS", (k.one_of("GLOBAL"), NameOptions)),
    table("GNMI", (k.one_of("certs"), Certificates), (k.one_of("gnmi"), Gnmi)),
    table("NTP", (k.one_of("global"), Time)),
    table("NTP_SERVER", (k.server, TimeServer)),
    table("RADIUS", (k.one_of("global"), RadiusKey)),
    table("RADIUS_SERVER", (k.server, RadiusServer)),
    table("SNMP", (k.one_of("CONTACT"), Contact), (k.one_of("LOCATION"), Location)),
    table("SNMP_USER", (_SNMP_NAME, SnmpUser)),
    table("SYSLOG_SERVER", (k.server, LogServer)),
    table("TACPLUS", (k.one_of("global"), LoginKey)),
    table("TACPLUS_SERVER", (k.server, LoginServer)),
)
