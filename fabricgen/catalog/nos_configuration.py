"""What the configuration of a NOS can carry, where a user's own text goes, and which lines keep a fabric safe."""

import re
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from fabricgen.models.forms import FrozenModel

# Facts of a NOS that others than its configuration depend on: systems around its switches, addresses, relays.


SubOption: TypeAlias = Annotated[int, Field(ge=0, le=254)]


class EnclosedOptions(FrozenModel):
    """The codes of sub-options in a DHCP option that, instead of a URL, encloses the parts of one: path, scheme, port.

    `address` and `name` are codes of DHCP options beside it, which have the server.
    """

    image: Annotated[SubOption, Field(description="The path of the image on the server.")]
    file: Annotated[SubOption, Field(description="The path of the file on the server.")]
    mode: Annotated[SubOption, Field(description="The scheme of the URL.")]
    port: Annotated[SubOption, Field(description="The TCP port of the server, where the URL states one.")]
    address: Annotated[SubOption, Field(description="The option with the IPv4 address of the server.")]
    name: Annotated[SubOption, Field(description="The option with its name, where the URL has a name.")]


class BootFile(FrozenModel):
    """What a switch asks for at its first boot; DHCP options of value 0 are not sent."""

    file: Annotated[str, Field(description="The file that the option names.")]
    script: Annotated[
        str,
        Field(
            description="The script that fetches the rest, and its template in templates/ztp. Empty: the file is of "
            "`configs`, and the switch loads it as it is."
        ),
    ] = ""
    option: Annotated[int, Field(ge=0, le=254, description="Option of DHCP with the URL of the file.")]
    option6: Annotated[int, Field(ge=0, le=65535, description="The same of DHCPv6.")] = 0
    encloses: Annotated[
        EnclosedOptions | None, Field(description="What is in the option of DHCP. None: the URL of the file.")
    ] = None
    needs_version: Annotated[
        bool, Field(description="Whether an image is installed only where another version runs.")
    ] = False


class SystemFacts(FrozenModel):
    """What provisioning, monitoring, labs and orders have to know of a NOS."""

    boot: Annotated[BootFile | None, Field(description="None: no part `ztp` for its switches.")] = None
    gnmi_port: Annotated[int | None, Field(description="TCP port on which it listens for gNMI as it comes.")] = None
    containerlab: Annotated[str, Field(description="containerlab's kind of it; else a Linux container.")] = "linux"
    frr_exporter: Annotated[bool, Field(description="Whether frr_exporter tells all of its sessions.")] = False
    ansible: Annotated[
        dict[str, str | bool] | None,
        Field(description="Variables by which Ansible reaches its switches. None: templates/ansible has no playbooks."),
    ] = None
    config_manager: Annotated[
        str, Field(description="What NVIDIA's Config Manager calls it as a platform, if it knows it.")
    ] = ""
    own_optics: Annotated[str, Field(description="The vendor whose licence it wants for transceivers of others.")] = ""
    licence: Annotated[
        str, Field(description="What its vendor sells for each switch on top of it, and where that was read.")
    ] = ""


class DumpFacts(FrozenModel):
    """What dumps of neighbours call the ports of a NOS other than by their names, such as short forms of these."""

    abbreviations: Annotated[
        dict[str, tuple[str, ...]], Field(description="Words that port names begin with, each with its short forms.")
    ] = Field(default_factory=dict)
    cage_alone: Annotated[bool, Field(description="Whether a cage that is one port is called by the cage alone.")] = (
        False
    )
    in_subnet: Annotated[
        bool,
        Field(description="Whether tables of an InfiniBand subnet list its ports, by numbers over the face, not LLDP."),
    ] = False


class PairFacts(FrozenModel):
    """How a NOS sets up a pair: two switches that the bonds of hosts are spread over, by MLAG or EVPN multihoming."""

    own_addresses: Annotated[
        bool, Field(description="Whether each of an MLAG pair has an address beside the gateway that both have.")
    ] = True
    vlans_of_vrfs: Annotated[
        bool,
        Field(description="Whether VRFs pass between the two in VLANs of the peer link alone."),
    ] = False
    mlag_by_image: Annotated[bool, Field(description="Whether MLAG takes a part that not every image has.")] = False
    anycast_segments: Annotated[
        bool, Field(description="Whether with EVPN multihoming the gateway is the only address of both.")
    ] = False
    one_distinguisher: Annotated[
        int, Field(ge=0, description="The number in the route distinguisher of all VLANs over EVPN; 0: each its own.")
    ] = 0
    name: Annotated[
        Literal["first-switch", "mac", "number"],
        Field(description="What both call an MLAG pair: after its first switch, its MAC, or a number made of that."),
    ] = "first-switch"
    backup: Annotated[
        Literal["none", "management", "any"],
        Field(description="Over which networks each is told to reach the other beside the peer link."),
    ] = "any"
    link_local: Annotated[
        bool, Field(description="Whether the two talk over link-local IPv4 where the link has no such addresses.")
    ] = False


class RelayFacts(FrozenModel):
    """Where the DHCPv6 relay of a NOS gets no reply, as nobody has a route to the address that it sends from; and what
    it needs.
    """

    deaf_in_vrfs: Annotated[Literal["", "all", "over-sub-interfaces"], Field(description="VRFs in which.")] = ""
    deaf_on_static: Annotated[bool, Field(description="Whether so in the default VRF over static routes.")] = False
    marks_from_loopback: Annotated[
        bool, Field(description="Whether requests always say where they came in if they are sent from a loopback.")
    ] = False
    v6_from_loopback: Annotated[
        bool, Field(description="Whether it is told to send from its loopback in the default VRF, as on static links.")
    ] = False
    v6_needs_loopback: Annotated[
        bool, Field(description="Whether it takes an IPv6 address of its own in a VRF over EVPN to relay from.")
    ] = False


class DialectFacts(FrozenModel):
    """How a NOS differs from others in carrying out the same request."""

    lossy_class: Annotated[int, Field(ge=0, le=7, description="The class of packets whose DSCP is given no class.")] = 0
    negotiates_copper: Annotated[bool, Field(description="Whether copper ports state no speed.")] = True
    describes_unnumbered: Annotated[bool, Field(description="Whether sessions of ports have descriptions.")] = True
    splits_empty_cages: Annotated[
        bool, Field(description="Whether an empty cage has as many ports as its least split.")
    ] = False
    names_cable_lengths: Annotated[
        bool, Field(description="Whether a port says how long the cable of a lossless span is.")
    ] = False
    ranks_servers: Annotated[bool, Field(description="Whether servers for time, names and logs have an order.")] = True
    sources_servers: Annotated[
        bool, Field(description="Whether it has to be told to speak to these from its loopback.")
    ] = True
    ecn_fill: Annotated[
        tuple[int, int] | None,
        Field(
            description="Where it marks by how full a queue is: the two thresholds, percent of what a queue may have."
        ),
    ] = None
    ecmp_limits: Annotated[
        tuple[int, ...], Field(description="The numbers of equal paths that it can be told, ascending; none: any.")
    ] = ()
    advertises_on_ports: Annotated[
        bool, Field(description="Whether routed ports with IPv6 send router advertisements unless told otherwise.")
    ] = False


Intent: TypeAlias = Literal[
    "numbered-bgp",
    "unnumbered-bgp",
    "static-routes",
    "srv6",
    "srv6-links",
    "bare-links",
    "ipv6",
    "routed-hosts",
    "bridged-hosts",
    "tagged-hosts",
    "bonds",
    "lacp-fallback",
    "mlag",
    "evpn-multihoming",
    "vrfs",
    "vrf-subinterfaces",
    "evpn-vrfs",
    "leaks",
    "vxlan-dscp",
    "bgp-exits",
    "static-exits",
    "session-passwords",
    "multihop-sessions",
    "local-as",
    "aggregates",
    "communities",
    "bfd",
    "max-prefixes",
    "link-bandwidth",
    "dynamic-load-balance",
    "packet-spray",
    "cluster-load-balance",
    "hash-queue-pairs",
    "hash-seeds",
    "seeds-by-tier",
    "lossless",
    "roce-lossy",
    "cnp-shaping",
    "ecn-thresholds",
    "packet-trim",
    "watchdog-forward",
    "watchdog-restore",
    "watchdog-poll",
    "macsec",
    "span-headroom",
    "dhcp-relay",
    "no-option-82",
    "relay-on-routed-ports",
    "router-advertisements",
    "ra-lifetime",
    "ra-settings",
    "storm-control",
    "bpdu-guard",
    "dhcp-guard",
    "ra-guard",
    "users",
    "ssh-keys",
    "many-ssh-keys",
    "tacacs",
    "radius",
    "ntp",
    "dns",
    "many-resolvers",
    "domain-alone",
    "syslog",
    "snmp",
    "short-snmp-users",
    "gnmi",
    "tls",
    "tls-file-names",
    "banner",
    "timezone",
    "maintenance",
    "port-settings",
]
"""What a blueprint may ask of the configuration of a switch; a NOS claims each, on all or some chips, or does not.

`QosIntent`, `SpanIntent` and `FabricIntent` are something else: settings as settled for a fabric."""

UNCLAIMED = (
    "its entry in the catalogue (platforms/NOS.yaml, `claims`) does not have it; take another NOS, or do without"
)
"""Why an intent is refused that a NOS says nothing of."""

PlaceName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]


def _check_expression(text: str) -> str:
    """Return a regular expression as it is; raises ValueError if it is none."""
    re.compile(text)
    return text


def _check_group(text: str) -> str:
    """Return a regular expression as it is; raises ValueError unless it has exactly one group, which is the secret."""
    if re.compile(text).groups != 1:
        raise ValueError("one group, which is the secret")
    return text


class Lack(FrozenModel):
    """An intent that a NOS, or a NOS on some chips, has no words for in its configuration."""

    intent: Intent
    why: Annotated[str, Field(min_length=8, description="What is missing, and what to do instead.")]
    asics: Annotated[tuple[str, ...], Field(description="Beginnings of the chips' names. Default: on every chip.")] = ()


class SafetyLine(FrozenModel):
    """A kind of line that keeps a fabric safe: taking it away, or setting it otherwise, is a finding."""

    line: Annotated[
        Annotated[str, AfterValidator(_check_expression)],
        Field(
            description="Regular expression over a whole line of text, or over a path of data such as TABLE/key/field."
        ),
    ]
    why: Annotated[str, Field(min_length=8)]


class UnsafeCommands(FrozenModel):
    """Commands in snippets that take away what keeps a fabric up or safe."""

    why: Annotated[str, Field(min_length=8)]
    commands: Annotated[
        tuple[str, ...],
        Field(description="Words as in lint/subjects/idle.py: `no|default rou~ter bgp`, or the keys of a tree."),
    ]


class Place(FrozenModel):
    """A place where a snippet may go."""

    form: Literal["text", "tree"]
    about: Annotated[str, Field(min_length=8, description="Where that is.")]


class NosConfiguration(FrozenModel):
    """What is known of the configuration of a NOS."""

    mtu_max: Annotated[int, Field(ge=1500, description="The largest MTU of a port: of an IP packet, bytes.")] = 9216
    places: Annotated[dict[PlaceName, Place], Field(description="Places of snippets; the first is usual.")] = Field(
        default_factory=dict
    )
    pair_interface: Annotated[
        str, Field(description="The interface of a VLAN between the two switches of an MLAG pair; field: vlan.")
    ] = ""
    bond_interface: Annotated[str, Field(description="What it calls a bond; field: number.")] = ""
    pair_bond: Annotated[
        str, Field(description="What it calls the bond of a peer link, if otherwise than others; field: number.")
    ] = ""
    ecmp_paths: Annotated[
        int | None, Field(gt=0, description="The most equal-cost paths that its configuration can ask for.")
    ] = None
    locked_out: Annotated[
        str,
        Field(
            description="Why nobody can log in over the network where no account is configured; none: accounts of the "
            "image stay."
        ),
    ] = ""
    pairs: Annotated[PairFacts, Field(description="How pairs of its switches are numbered.")] = Field(
        default_factory=PairFacts
    )
    relay: Annotated[RelayFacts, Field(description="Limits of its DHCPv6 relay.")] = Field(default_factory=RelayFacts)
    dialect: Annotated[DialectFacts, Field(description="What it says otherwise than others.")] = Field(
        default_factory=DialectFacts
    )
    kept_vlans: Annotated[
        tuple[int, int] | None, Field(description="The first and last VLAN that it keeps for itself.")
    ] = None
    vlans_of_ports: Annotated[
        int, Field(description="The first of the VLANs that it gives to routed ports and sub-interfaces, one each.")
    ] = 0
    pauses_macsec: Annotated[bool, Field(description="Whether PFC is paused and heard over MACsec.")] = True
    management_vrf: Annotated[bool, Field(description="Whether its management port is in a VRF of its own.")] = True
    tells_imports: Annotated[
        bool, Field(description="Whether a VRF over EVPN tells on what it imported from another on the switch.")
    ] = True
    announces_blocks: Annotated[
        bool, Field(description="Whether it announces the block of a leaf's hosts where no FRR text is asked of it.")
    ] = False
    daemon_paths: Annotated[
        int, Field(description="Equal-cost paths where it makes the text of FRR itself, as FRR is built by others.")
    ] = 0
    hash_seeds: Annotated[
        tuple[int, ...], Field(description="Its own seed of the hash over equal paths by level: leaf, spine, above.")
    ] = ()
    claims: Annotated[
        tuple[Intent, ...],
        Field(description="What it writes where a blueprint asks for it; what is not claimed is refused (FG703)."),
    ] = ()
    lacks: Annotated[
        tuple[Lack, ...], Field(description="Why it does not claim an intent, or not on some chips, and what to do.")
    ] = ()
    by_image: Annotated[
        dict[Intent, str], Field(description="What an image must have for an intent that not every image carries.")
    ] = Field(default_factory=dict)
    lossless_by_image: Annotated[
        dict[str, str], Field(description="Switch -> what its images lack for lossless ports, and where that is.")
    ] = Field(default_factory=dict)
    safety: tuple[SafetyLine, ...] = ()
    unsafe: tuple[UnsafeCommands, ...] = ()
    clear_secrets: Annotated[
        tuple[str, ...], Field(description="Commands, as those of `unsafe`, that hold a secret in clear text.")
    ] = ()
    secrets: Annotated[
        tuple[Annotated[str, AfterValidator(_check_group)], ...],
        Field(
            description="Regular expressions whose group is a secret in a line of a file, which nothing else may show."
        ),
    ] = ()

    @model_validator(mode="after")
    def _check_claims(self) -> Self:
        """Raise ValueError if an intent is both claimed and lacking on all chips, or lacking on some chips and not
        claimed.
        """
        lacked = {lack.intent for lack in self.lacks if not lack.asics}
        contradictory = sorted(lacked.intersection(self.claims))
        unclaimed = sorted({lack.intent for lack in self.lacks if lack.asics} - lacked - set(self.claims))
        if contradictory:
            raise ValueError(f"{contradictory[0]} is claimed, but listed as lacking on every chip")
        if unclaimed:
            raise ValueError(f"{unclaimed[0]} is listed as lacking on some chips, but not claimed")
        return self

    def explain_refusal(self, intent: Intent, asic: str) -> str:
        """Return why an intent cannot be configured on a chip (`asic` of its switch's profile); "" if it can."""
        fitting = (lack for lack in self.lacks if lack.intent == intent)
        lack = next((lack for lack in fitting if not lack.asics or asic.startswith(lack.asics)), None)
        if lack is not None:
            return lack.why
        return "" if intent in self.claims else UNCLAIMED

    def find_usual_place(self, form: str) -> str:
        """Return the usual place of snippets of a form; "" if there is none."""
        return next((name for name, place in self.places.items() if place.form == form), "")
