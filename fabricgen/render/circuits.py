"""What DHCP requests say of the ports that they came in at, on every switch that relays: the agent circuit id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.cluster import Cluster
from fabricgen.render.nos_protocol import NamesCircuits, load_writer
from fabricgen.views.switch import SwitchPort


def circuit_ids(cluster: Cluster, rows: Iterable[int]) -> dict[tuple[str, str], tuple[bytes, ...]]:
    """(switch, port) -> the circuit ids that requests of the host there may have, of some rows of the device table.

    Spelled as the blueprint says (`dhcp.circuit_id`), else as the NOS does (RFC 3046, 3.1). Ports whose NOS names none
    are left out: routed ones, and those that the relay tells by their VLAN alone.
    """
    found: dict[tuple[str, str], tuple[bytes, ...]] = {}
    for row in rows:
        name = cluster.names[row]
        found.update(((name, port), text) for port, text in _of_switch(cluster, row))
    return found


def _of_switch(cluster: Cluster, row: int) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    switch = cluster.switch(row)
    nos, specs = load_writer(switch.nos), cluster.design.loaded.blueprint.fabrics
    if not isinstance(nos, NamesCircuits):
        return
    said = nos.circuits(switch, cluster.design.catalog)
    for port in switch.ports:
        service = switch.service_of(port)
        dhcp = specs[service.fabric].dhcp if service else None
        stated = dhcp.circuit_id if dhcp else None
        form = stated or (said.form.get(service.fabric) if service else None)
        if service is None or not form or (port.bond and not said.bond):
            continue
        name = _bond_name(said.bond, port)
        fields = {"switch": switch.name, "port": name or port.name, "vlan": str(service.vlan)}
        text = form.format(**fields, alias=name or said.alias.get(port.name, port.name)).encode()
        kind = None if stated else said.kind
        yield port.name, (text,) if kind is None else (text, bytes([kind, len(text)]) + text)


def _bond_name(form: str, port: SwitchPort) -> str:
    return form.format(number=port.bond) if port.bond else ""
