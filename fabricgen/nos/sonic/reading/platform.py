"""What a SONiC platform asks for beside the switch that is planned: cages, buffers, containers, the far ends of ports.

Nothing of it is in the model of a switch; what is judged here is whether it is all there and fits together. Sizes of
buffers are what the platform publishes, and are held against that where configurations are rendered.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from fabricgen.catalog.loader import Catalog
from fabricgen.running.tree import allow_fields, report_misfit, require_fields

Tables = Mapping[str, Mapping[str, Mapping[str, Any]]]

PER_PORT = ("BUFFER_PORT_EGRESS_PROFILE_LIST", "BUFFER_PORT_INGRESS_PROFILE_LIST")
BUFFERS = frozenset({"BUFFER_PG", "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_QUEUE", *PER_PORT})
NAMES = BUFFERS | {"BREAKOUT_CFG", "CABLE_LENGTH", "DEVICE_NEIGHBOR", "DEVICE_NEIGHBOR_METADATA", "MGMT_PORT"}
"""Tables that only this module reads."""

THRESHOLDS = ("dynamic_th", "static_th")
LOSSLESS = ("xoff", "xon")


def check_platform(tables: Tables) -> None:
    """Refuse tables in which something is missing that the platform needs, such as the far end of a cabled port.

    Rows for ports or neighbours that do not exist are refused as well. Raises UnknownTextError.
    """
    _check_device(tables)
    _check_cages(tables)
    _check_far_ends(tables)
    if BUFFERS & tables.keys():
        _check_buffers(tables)


def _check_device(tables: Tables) -> None:
    """Refuse tables that SONiC's containers need at their start and that are missing or incomplete."""
    metadata, states = tables["DEVICE_METADATA"]["localhost"], tables["FEATURE"]
    required = ["docker_routing_config_mode", "frr_mgmt_framework_config", "hostname", "hwsku", "platform", "type"]
    if "bgp_asn" in metadata:
        required += ["default_bgp_status", "suppress-fib-pending", "synchronous_mode"]
    if BUFFERS & tables.keys():
        required.append("buffer_model")
    if missing := set(required) - set(metadata):
        report_misfit(f"DEVICE_METADATA does not say {sorted(missing)}")
    runs = {name for name, row in states.items() if row["state"] == "enabled"}
    if not {"bgp", "lldp"} <= set(states) or ("macsec" in runs) != ("MACSEC_PROFILE" in tables):
        report_misfit(f"containers that run: {sorted(runs)}")
    if any(key.startswith("eth0|") for key in tables.get("MGMT_INTERFACE", {})):
        require_fields(tables["MGMT_PORT"]["eth0"], "admin_status", "alias")
    require_fields(tables["VERSIONS"]["DATABASE"], "VERSION")


def _check_cages(tables: Tables) -> None:
    """Refuse ports of one `index` that are not all ports of one cage; BREAKOUT_CFG names a cage by its first port."""
    cages: dict[str, list[str]] = {}
    for name, row in sorted(
        tables["PORT"].items(), key=lambda name_and_row: int(name_and_row[0].removeprefix("Ethernet"))
    ):
        require_fields(
            {field: row[field] for field in row.keys() & {"alias", "index", "lanes"}}, "alias", "index", "lanes"
        )
        cages.setdefault(row["index"], []).append(name)
    for ports in cages.values():
        if [tables["PORT"][port].get("subport", "0") for port in ports] != _number_subports(len(ports)):
            report_misfit(f"{ports} are no ports of one cage")
    split = tables.get("BREAKOUT_CFG", {})
    for ports in cages.values() if split else ():
        require_fields(split[ports[0]], "brkout_mode")
        if not split[ports[0]]["brkout_mode"].startswith(f"{len(ports)}x"):
            report_misfit(f"{ports} are of a cage that is {split[ports[0]]}")


def _number_subports(ports: int) -> list[str]:
    """Return the `subport` of each port of a cage with `ports` ports: 1, 2 and so on; 0 for an only port."""
    return [str(number) for number in range(1, ports + 1)] if ports > 1 else ["0"]


def _check_far_ends(tables: Tables) -> None:
    """Refuse DEVICE_NEIGHBOR unless it has a row for each cabled port and for no other.

    Refuse DEVICE_NEIGHBOR_METADATA unless it has a type for each device there; devices at their management ports may
    lack one. Raises UnknownTextError.
    """
    far_ends = tables.get("DEVICE_NEIGHBOR", {})
    for row in far_ends.values():
        require_fields(row, "name", "port")
    kinds = tables.get("DEVICE_NEIGHBOR_METADATA", {})
    for row in kinds.values():
        require_fields(row, "type")
    neighbours = {row["name"] for row in far_ends.values()}
    managed = {row["name"] for row in far_ends.values() if row["port"].startswith(_list_management_ports())}
    if not neighbours - managed <= kinds.keys() <= neighbours:
        report_misfit(f"neighbours are {sorted(kinds)}, and those of ports {sorted(neighbours)}")
    if far_ends.keys() != (cabled := _find_cabled_ports(tables)):
        report_misfit(f"ports whose far_ends ends are not known: {sorted(cabled ^ far_ends.keys())}")


@cache
def _list_management_ports() -> tuple[str, ...]:
    """Return how names of management ports begin, on any NOS: such ports are no neighbours to SONiC."""
    catalog = Catalog()
    return (*(catalog.naming(nos).management for nos in catalog.list_known_nos()), "mgmt")


def _find_cabled_ports(tables: Tables) -> set[str]:
    """Return the ports whose description is not `unused`."""
    return {name for name, row in tables["PORT"].items() if row.get("description") != "unused"}


def _check_buffers(tables: Tables) -> None:
    """Refuse buffers that are incomplete or unused, that differ between ports, or whose headroom is for another cable
    length than the port's.

    Raises UnknownTextError.
    """
    pools, profiles = tables["BUFFER_POOL"], tables["BUFFER_PROFILE"]
    for pool in pools.values():
        require_fields({field: text for field, text in pool.items() if field != "xoff"}, "mode", "size", "type")
    for name, row in profiles.items():
        allow_fields(row, *THRESHOLDS, *LOSSLESS, "packet_discard_action", "pool", "size", "xon_offset")
        lossless_fields = LOSSLESS if name.startswith("pg_lossless") else ()
        if not {"pool", "size", *lossless_fields} <= row.keys() or len(row.keys() & set(THRESHOLDS)) != 1:
            report_misfit(f"{name} is no whole profile: {row}")
    used = {row["profile"] for table in ("BUFFER_PG", "BUFFER_QUEUE") for row in tables[table].values()}
    used |= {
        profile_name
        for table in PER_PORT
        for row in tables.get(table, {}).values()
        for profile_name in row["profile_list"].split(",")
    }
    # profiles of queues that no port uses may stay, and those of ports out of use where every port is in use
    unused_profiles = profiles.keys() - used - {name for name in profiles if "queue" in name or "_zero_" in name}
    if not used <= profiles.keys() or unused_profiles or not {row["pool"] for row in profiles.values()} <= pools.keys():
        report_misfit(f"profiles are {sorted(profiles)} of {sorted(pools)}, and {sorted(used)} are used")
    lengths = tables.get("CABLE_LENGTH", {}).get("AZURE", {})
    for table in BUFFERS & tables.keys() - {"BUFFER_POOL", "BUFFER_PROFILE"}:
        numbers: dict[str, set[str]] = {name: set() for name in _find_cabled_ports(tables)}
        for port, _, number in (key.partition("|") for key in tables[table]):
            numbers.get(port, set()).add(number)
        pauses = {name: tables["PORT_QOS_MAP"][name].get("pfc_enable") for name in numbers}
        # ports that pause the same priorities have the same groups and queues
        if len({(pauses[name], frozenset(port_numbers)) for name, port_numbers in numbers.items()}) > len(
            set(pauses.values())
        ):
            report_misfit(f"{table} is not of all ports alike: {numbers}")
    for port, row in tables.get("PORT_QOS_MAP", {}).items():
        for priority in row.get("pfc_enable", "").split(","):
            profile = tables["BUFFER_PG"].get(f"{port}|{priority}", {}).get("profile", "")
            if priority and not profile.endswith(f"_{lengths[port]}_profile"):
                report_misfit(f"{port} pauses over {lengths[port]}, and has room for {profile}")
