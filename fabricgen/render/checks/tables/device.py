"""The box itself: DEVICE_METADATA, its neighbours, features and the version of the schema.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-device_metadata.yang, sonic-device_neighbor.yang,
sonic-device_neighbor_metadata.yang, sonic-feature.yang, sonic-versions.yang.
"""

from typing import Annotated

from pydantic import AfterValidator as Is
from pydantic import Field

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, ref, table

STATES = ("enabled", "disabled", "always_enabled", "always_disabled")
TYPES = ("ToRRouter", "LeafRouter", "SpineRouter", "MgmtToRRouter", "MgmtLeafRouter", "MgmtSpineRouter")
PEERS = (*TYPES, "Server")


class Metadata(Row):
    """DEVICE_METADATA|localhost."""

    has_sonic_dhcpv4_relay: Annotated[str, Is(k.one_of("true", "false", "True", "False"))] = ""
    hostname: Annotated[str, Is(k.own_name)]
    hwsku: Annotated[str, Is(k.name)]
    platform: Annotated[str, Is(k.name)]
    type: Annotated[str, Is(k.one_of(*TYPES))]
    docker_routing_config_mode: Annotated[str, Is(k.one_of("separated", "unified", "split", "split-unified"))]
    bgp_adv_lo_prefix_as_128: Annotated[str, Is(k.truth)] = ""
    bgp_asn: Annotated[str, Is(k.asn)] = ""
    bgp_router_id: Annotated[str, Is(k.address)] = ""
    buffer_model: Annotated[str, Is(k.one_of("dynamic", "traditional"))] = ""
    create_only_config_db_buffers: Annotated[str, Is(k.truth)] = ""
    default_bgp_status: Annotated[str, Is(k.up_down)] = ""
    default_pfcwd_status: Annotated[str, Is(k.one_of("enable", "disable"))] = ""
    frr_mgmt_framework_config: Annotated[str, Is(k.truth)] = ""
    mac: Annotated[str, Is(k.mac)] = ""
    suppress_fib_pending: Annotated[str, Is(k.one_of("enabled", "disabled")), Field(alias="suppress-fib-pending")] = ""
    synchronous_mode: Annotated[str, Is(k.one_of("enable", "disable"))] = ""
    timezone: Annotated[
        str, Is(k.pattern(r"(?=.{1,255}$)[A-Za-z]+([_/+-][A-Za-z0-9]+)*", "a time zone by its IANA name"))
    ] = ""


class Neighbor(Row):
    """DEVICE_NEIGHBOR|port: what a cable leads to."""

    name: Annotated[str, Is(k.name)]
    port: Annotated[str, Is(k.name)]


class NeighborMetadata(Row):
    """DEVICE_NEIGHBOR_METADATA|device."""

    type: Annotated[str, Is(k.one_of(*PEERS))]


class Feature(Row):
    """FEATURE|container."""

    state: Annotated[str, Is(k.one_of(*STATES))]
    auto_restart: Annotated[str, Is(k.one_of(*STATES))] = ""
    delayed: Annotated[str, Is(k.one_of("True", "False", "true", "false"))] = ""


class Version(Row):
    """VERSIONS|DATABASE."""

    VERSION: Annotated[
        str, Is(k.pattern(r"version_(\d{1,2}_\d{1,2}_\d{1,2}|\d{6}_\d{2})", "a schema such as version_202305_01"))
    ]


TABLES = (
    table("DEVICE_METADATA", (k.one_of("localhost"), Metadata)),
    table("DEVICE_NEIGHBOR", ((k.port_name, ref("PORT")), Neighbor)),
    table("DEVICE_NEIGHBOR_METADATA", (k.name, NeighborMetadata)),
    table("FEATURE", (k.pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}", "a name of 1 to 32 characters"), Feature)),
    table("VERSIONS", (k.one_of("DATABASE"), Version)),
)
