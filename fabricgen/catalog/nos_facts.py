"""Facts of a NOS that others than its configuration depend on: systems around its switches, addresses, relays."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabricgen.models.base import FrozenModel


class BootFile(FrozenModel):
    """What a switch asks for at its first boot; DHCP options of value 0 are not sent."""

    file: Annotated[str, Field(description="The file that the option names.")]
    script: Annotated[str, Field(description="The script that fetches the rest, and its template in templates/ztp.")]
    option: Annotated[int, Field(ge=0, le=254, description="Option of DHCP with the URL of the file.")]
    option6: Annotated[int, Field(ge=0, le=65535, description="The same of DHCPv6.")] = 0
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
    own_optics: Annotated[str, Field(description="The vendor whose licence it wants for transceivers of others.")] = ""


class DumpFacts(FrozenModel):
    """What dumps of neighbours call its ports beside their names."""

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
    """How the two switches are numbered that bonds of hosts are over."""

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
    """Where its DHCPv6 relay hears no reply, since nobody has a route to the address that it sends from."""

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
    """What it says otherwise than others where a blueprint asks the same."""

    lossy_class: Annotated[int, Field(ge=0, le=7, description="The traffic class of packets that have none.")] = 0
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
    advertises_on_ports: Annotated[
        bool, Field(description="Whether routed ports with IPv6 send router advertisements unless told otherwise.")
    ] = False
