"""The language of management: who may log in to the switches, and which servers they talk to.

It says the same on every NOS. Servers are reached through the management port where a switch has one.
"""

import ipaddress
import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from fabricgen.blueprint.base import Model, wrap_in_list
from fabricgen.blueprint.scalars import Line
from fabricgen.blueprint.sections.secret import Secret
from fabricgen.models import forms
from fabricgen.models.forms import make_text_form, one_or_list

_KEY = r"(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)|sk-ssh-ed25519@openssh\.com) [A-Za-z0-9+/]+=*"


def _normalize_ip(text: str) -> str:
    """Return an address in its usual spelling. Raises ValueError for anything else, and for text after a `%`.

    An IPv4 address in the form of IPv6 is that of IPv4: such addresses never are on a wire (RFC 4291, 2.5.5.2).
    """
    if "%" in text:
        raise ValueError("an interface after '%'")
    address = ipaddress.ip_address(text)
    return str(getattr(address, "ipv4_mapped", None) or address)


def _check_usable(address: str) -> str:
    """Raise ValueError for an address that no server can have (RFC 6890)."""
    parsed = ipaddress.ip_address(address)
    if parsed.is_multicast or parsed.is_unspecified or parsed.is_loopback or parsed.is_reserved:
        raise ValueError(f"{address} is reserved and cannot be the address of a server (RFC 6890)")
    return address


def _read_address(text: str) -> str:
    """Return an address that a server can have, in its usual spelling. Raises ValueError for anything else."""
    try:
        address = _normalize_ip(text)
    except ValueError:
        raise ValueError(f"'{text}' is not an IP address such as 10.32.0.5 or fd00::5") from None
    return _check_usable(address)


def _read_domain(text: str) -> str:
    """Return a host name or domain (RFC 1123) in small letters. Raises ValueError for anything else."""
    if len(text) > 253 or not re.fullmatch(forms.HOST, text) or text.rpartition(".")[2].isdigit():
        raise ValueError(f"'{text}' is not a domain such as fabric.example.net")
    return text.lower()


def _read_server(text: str) -> str:
    """Return an address in its usual spelling, or a host name (RFC 1123). Raises ValueError for anything else."""
    try:
        address = _normalize_ip(text)
    except ValueError:
        try:
            return _read_domain(text)
        except ValueError:
            # two addresses in one text, apart by a space, a comma or a semicolon
            several = "; write several in brackets: [A, B]" if re.search(r"[.:][0-9a-f]+[\s,;]+\S", text) else ""
            raise ValueError(f"'{text}' is neither an IP address nor a host name{several}") from None
    return _check_usable(address)


def _read_public_key(text: str) -> str:
    """Return the type and base64 text of a public key, without its comment. Raises ValueError for anything else,
    private keys included.
    """
    kind, _, rest = text.strip().partition(" ")
    key = f"{kind} {rest.partition(' ')[0]}"
    if "PRIVATE" in text or not re.fullmatch(_KEY, key):
        raise ValueError("an SSH public key is its type and its base64 text, such as ssh-ed25519 AAAA...")
    return key


def _check_printable(text: str) -> str:
    """Refuse text that is not printable ASCII, and drop line breaks at both ends."""
    if any((ord(c) < 32 and c != "\n") or ord(c) >= 127 for c in text):
        raise ValueError("only printable ASCII and line breaks are allowed here")
    return text.strip("\n")


def _check_unique(servers: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a server that is there twice."""
    twice = next((server for server in servers if servers.count(server) > 1), "")
    if twice:
        raise ValueError(f"{twice} is there twice")
    return servers


_DOMAIN_FORM = rf"(?=.{{1,253}}$)(?:{forms.LABEL}\.)*(?!\d+$){forms.LABEL}"
_ADDRESS_SCHEMA = make_text_form(
    rf"^(?:{forms.IPV4}|{forms.IPV6})$", "an IP address such as 10.32.0.5 or fd00::5", "10.32.0.5", "fd00::5"
)
_SERVER_SCHEMA = make_text_form(
    rf"^(?:{forms.IPV4}|{forms.IPV6}|{_DOMAIN_FORM})$", "an IP address or a host name", "10.32.0.5", "ntp.example.net"
)
MOST_SERVERS = 8

Address = Annotated[str, AfterValidator(_read_address)]
Servers = Annotated[
    tuple[Annotated[str, AfterValidator(_read_server)], ...],
    BeforeValidator(wrap_in_list),
    AfterValidator(_check_unique),
    Field(max_length=MOST_SERVERS),
    WithJsonSchema(one_or_list(_SERVER_SCHEMA, maxItems=MOST_SERVERS, uniqueItems=True)),
]
"""Addresses or host names, in order of preference."""

ServerAddresses = Annotated[
    tuple[Address, ...],
    BeforeValidator(wrap_in_list),
    AfterValidator(_check_unique),
    Field(max_length=MOST_SERVERS),
    WithJsonSchema(one_or_list(_ADDRESS_SCHEMA, maxItems=MOST_SERVERS, uniqueItems=True)),
]
"""Addresses, in order of preference: what cannot be looked up by name."""

Domain = Annotated[
    str,
    AfterValidator(_read_domain),
    WithJsonSchema(make_text_form(f"^{_DOMAIN_FORM}$", "a domain such as fabric.example.net", "fabric.example.net")),
]
PublicKey = Annotated[
    str,
    AfterValidator(_read_public_key),
    WithJsonSchema(
        make_text_form(
            rf"^(?![\s\S]*PRIVATE)\s*(?:{_KEY})(?: [\s\S]*)?\s*$",
            "an SSH public key: its type, its base64 text and, if you like, a comment",
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA ops@example.net",
        )
    ),
]
Account = Annotated[str, Field(pattern=forms.ACCOUNT)]
"""A login name as Linux takes it."""

Text = Annotated[
    str,
    Field(max_length=2000),
    AfterValidator(_check_printable),
    WithJsonSchema(make_text_form(r"^[\n\x20-\x7e]*$", "printable ASCII and line breaks", maxLength=2000)),
]
"""Text of several lines."""


class User(Model):
    """A local account of every switch."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["password"], "properties": {"password": {"type": "string"}}},
                {"required": ["ssh_keys"], "properties": {"ssh_keys": {"minItems": 1}}},
            ]
        }
    )

    role: Literal["admin", "operator"] = Field("admin", description="operator: may look, not change.")
    password: Secret | None = Field(
        None, description="Where the hash of the password is kept: SHA-512 crypt ($6$...), never the password."
    )
    ssh_keys: tuple[PublicKey, ...] = Field((), max_length=8, description="Public keys that may log in.")

    @model_validator(mode="after")
    def _check_login(self) -> Self:
        """Raise ValueError if an account has neither a password nor a key."""
        if not self.password and not self.ssh_keys:
            raise ValueError("an account without `password` and `ssh_keys` would be open to everybody, or to nobody")
        return self


def _require_entry(schema: dict[str, Any]) -> None:
    """Change a JSON Schema of one value or a list so that the list has at least one entry."""
    schema["oneOf"] = [schema["oneOf"][0], {**schema["oneOf"][1], "minItems": 1}]


class Aaa(Model):
    """Who decides on logins: servers first, local accounts when none answers."""

    protocol: Literal["tacacs", "radius"] = Field("tacacs", description="What the servers speak.")
    servers: ServerAddresses = Field(
        min_length=1, json_schema_extra=_require_entry, description="Their addresses, in order of preference."
    )
    key: Secret | None = Field(None, description="Where the key shared with them is kept.")


class Dns(Model):
    """Name resolution."""

    servers: ServerAddresses = Field((), description="Addresses of the resolvers.")
    domain: Domain | None = Field(None, description="Domain of the switches.")


class Syslog(Model):
    """Where logs go."""

    servers: Servers = Field((), description="Addresses or names of the collectors.")
    level: Literal["error", "warning", "notice", "informational", "debug"] = Field(
        "informational", description="The least severe messages that are sent."
    )


class SnmpUser(Model):
    """An SNMPv3 user with authentication (SHA) and privacy (AES-128), who may read."""

    auth: Secret = Field(description="Where the authentication passphrase is kept.")
    privacy: Secret = Field(description="Where the privacy passphrase is kept.")


class Snmp(Model):
    """SNMPv3, read only; there are no communities."""

    users: dict[Account, SnmpUser] = Field(default_factory=dict, description="SNMPv3 users by name.")
    location: Line = Field("", description="Where the switches stand. Default: the site of each.")
    contact: Line = Field("", description="Whom to ask.")


class Gnmi(Model):
    """Streaming telemetry over gNMI."""

    port: int | None = Field(None, ge=1, le=65535, description="TCP port. Default: as the NOS has it.")


class Tls(Model):
    """The certificate that management services show; both files are on the switch already."""

    certificate: Annotated[str, Field(pattern=forms.DEVICE_FILE)] = Field(description="File name of the certificate.")
    key: Annotated[str, Field(pattern=forms.DEVICE_FILE)] = Field(description="File name of its key.")


class Banner(Model):
    """What a person sees at the door."""

    login: Text = Field("", description="Before the login.")
    motd: Text = Field("", description="After the login.")


ImageFile = Annotated[str, Field(pattern=forms.IMAGE_FILE, max_length=200)]

ImageUser = Annotated[str, Field(pattern=forms.IMAGE_USER)]


class Image(Model):
    """An image of a NOS, as the ZTP server has it."""

    file: ImageFile = Field(description="Its path below the URL of the ZTP server, e.g. images/sonic-mellanox.bin.")
    sha256: Annotated[str, Field(pattern=forms.SHA256)] | None = Field(
        None, description="Its checksum, in hexadecimal. Default: not checked."
    )
    version: Annotated[str, Field(pattern=forms.IMAGE_VERSION, max_length=100)] | None = Field(
        None, description="Its version as the NOS spells it: a switch that runs it is left alone. Default: not asked."
    )


class Ztp(Model):
    """Where switches that boot for the first time fetch what they are to run."""

    url: Annotated[str, Field(pattern=forms.URL, max_length=200)] | None = Field(
        None,
        description="Under which the output folder of a build is served, e.g. http://10.32.0.9:8080/fabric. Default: "
        "port 80 of the first DHCP server of the management network.",
    )
    images: dict[ImageUser, Image] = Field(
        default_factory=dict,
        description="Images by model of switch, or by NOS for all others. Default: switches keep theirs.",
    )


class Management(Model):
    """How the switches are managed; a fabric's own settings override the cluster's, setting by setting."""

    users: dict[Account, User] = Field(default_factory=dict, description="Local accounts by name.")
    aaa: Aaa | None = Field(None, description="Servers that decide on logins.")
    ntp: Servers = Field((), description="Time servers.")
    dns: Dns | None = Field(None, description="Name resolution.")
    syslog: Syslog | None = Field(None, description="Where logs go.")
    snmp: Snmp | None = Field(None, description="SNMPv3.")
    gnmi: Gnmi | None = Field(None, description="Streaming telemetry, e.g. {}.")
    tls: Tls | None = Field(None, description="Certificate of management services. Default: what the NOS makes.")
    ztp: Ztp | None = Field(None, description="Zero touch provisioning.")
    banner: Banner | None = Field(None, description="What a person sees at the door.")
    timezone: Annotated[str, Field(pattern=forms.TIMEZONE, max_length=40)] | None = Field(
        None, description="Of the clock, by its IANA name. Default: as the NOS has it, UTC."
    )

    def lay_over(self, shared: Self) -> Self:
        """Return these settings laid over `shared`, those of the cluster.

        Users of both are merged by name. Every other setting that is stated here, even an empty one, replaces that of
        `shared`.
        """
        stated = {name: getattr(self, name) for name in self.model_fields_set}
        stated["users"] = {**shared.users, **self.users}
        return shared.model_copy(update=stated)
