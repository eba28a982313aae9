"""A hall whose hosts speak no LLDP: LLDP between switches, their MAC tables, and Redfish of the hosts.

Each switch has also learnt MACs of hosts of other switches, at a port that leads to a switch. Shapes: scripts/fdbshow
of https://github.com/sonic-net/sonic-utilities; `show mac address-table` of EOS, as text and by
https://github.com/napalm-automation/napalm (napalm/eos); `bridge fdb show` and `nv show bridge domain br_default
mac-table -o json` of Cumulus Linux; `show ethernet-switching table [| display json]` of Junos; DMTF's schema of Port.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping

from fabricgen.addons.emulation.dumps import Seen, group_by_device, lldpctl

Rows = list[tuple[str, str]]
"""MACs, each with the port of the switch at which it was learnt."""


def _write_sonic(rows: Rows) -> str:
    lines = [f"{number:>5}    1000  {mac.upper()}  {port}  Dynamic" for number, (mac, port) in enumerate(rows, 1)]
    head = "  No.    Vlan  MacAddress         Port        Type\n-----  ------  -----------------  ----------  -------"
    return "\n".join([head, *lines, f"Total number of entries {len(rows)}", ""])


def _write_eos(rows: Rows) -> str:
    # as SONiC has Ethernet0 as well, only ports of modular or split cages are abbreviated
    short = ((mac.replace(":", ""), port.replace("Ethernet", "Et") if "/" in port else port) for mac, port in rows)
    lines = (
        f"1000    {mac[:4]}.{mac[4:8]}.{mac[8:]}    DYNAMIC     {port}      1       0:04:41 ago" for mac, port in short
    )
    head = "Vlan    Mac Address       Type        Ports      Moves   Last Move"
    return "\n".join([head, *lines, f"Total Mac Addresses for this criterion: {len(rows)}", ""])


def _write_eos_json(rows: Rows) -> str:
    entries = [{"vlanId": 1000, "macAddress": mac, "interface": port, "entryType": "dynamic"} for mac, port in rows]
    return json.dumps({"unicastTable": {"tableEntries": entries}, "multicastTable": {"tableEntries": []}})


def _write_bridge(rows: Rows) -> str:
    return "".join(f"{mac} dev {port} vlan 1000 master br_default offload\n" for mac, port in rows)


def _write_nvue(rows: Rows) -> str:
    entries = enumerate(rows, 1)
    return json.dumps({str(number): {"interface": port, "mac": mac, "vlan": 1000} for number, (mac, port) in entries})


def _name_unit(port: str) -> str:
    """Return the name by which Junos calls a bridging port (`et-0/0/1.0`); other names stay as they are."""
    return f"{port}.0" if port.count("/") > 1 else port


def _write_junos(rows: Rows) -> str:
    lines = (f"   v1000               {mac}   D        {_name_unit(port)}" for mac, port in rows)
    head = f"Ethernet switching table : {len(rows)} entries, {len(rows)} learned\nRouting instance : default-switch"
    return "\n".join([head, *lines, ""])


def _write_junos_json(rows: Rows) -> str:
    field_names = ("l2ng-l2-mac-address", "l2ng-l2-mac-logical-interface", "l2ng-l2-mac-flags")
    values = ((mac, _name_unit(port), "D") for mac, port in rows)
    entries = [{field: [{"data": text}] for field, text in zip(field_names, row, strict=True)} for row in values]
    return json.dumps({"l2ng-l2ald-rtb-macdb": [{"l2ng-l2ald-mac-entry-vlan": [{"l2ng-mac-entry": entries}]}]})


STYLES: Mapping[str, Callable[[Rows], str]] = {
    "fdbshow": _write_sonic,
    "mac-address-table": _write_eos,
    "mac-address-table-json": _write_eos_json,
    "bridge-fdb": _write_bridge,
    "mac-table-json": _write_nvue,
    "ethernet-switching-table": _write_junos,
    "ethernet-switching-table-json": _write_junos_json,
}
_BY_PORTS = {
    r"swp\d": "mac-table-json",
    r"[a-z]+-\d": "ethernet-switching-table",
    r"Ethernet\d+$": "fdbshow",
    r"Ethernet\d+/": "mac-address-table",
}
"""Style by a pattern of how a switch names its ports; other switches show the table of the kernel."""
_THROUGH = 2
"""The number of MACs of other hosts that are learnt at an uplink."""


def write_hall(seen: Seen, nos: Mapping[str, str], style: str = "") -> dict[str, str]:
    """Return files by name: LLDP and a MAC table of each switch, and Redfish of each host (devices without a NOS).

    All MAC tables are in `style`, one of `STYLES`; without it, each is in the style that the names of its ports
    suggest.
    """
    hosts = [port for port in sorted(seen) if not nos[port[0]]]
    digits_of_port = {port: f"{number:06x}" for number, port in enumerate(hosts)}
    macs = {port: f"0a:01:00:{text[:2]}:{text[2:4]}:{text[4:]}" for port, text in digits_of_port.items()}
    seen_among_switches = {port: far if far and nos[far[0]] else None for port, far in seen.items() if nos[port[0]]}
    files = {f"lldp-{name}": text for name, text in lldpctl.write(seen_among_switches).items()}
    for device, ports in group_by_device(seen).items():
        if not nos[device]:
            files[f"redfish-{device}.json"] = _write_redfish((port, macs[device, port], far) for port, far in ports)
            continue
        rows = [(macs[far], port) for port, far in ports if far and not nos[far[0]]]
        uplinks = [port for port, far in ports if far and nos[far[0]]]
        macs_of_hosts = {mac for mac, _ in rows}
        # at one uplink, MACs of hosts at other switches, which a switch learns from traffic that passes it
        rows += [
            (mac, port)
            for port in uplinks[:1]
            for mac in [mac for mac in macs.values() if mac not in macs_of_hosts][:_THROUGH]
        ]
        styles_by_port_name = (_BY_PORTS[form] for form in _BY_PORTS if re.match(form, ports[0][0]))
        files[f"mac-{device}.txt"] = STYLES[style or next(styles_by_port_name, "bridge-fdb")](rows)
    return files


def _write_redfish(ports: Iterable[tuple[str, str, object]]) -> str:
    """Return the ports of a host, (port, MAC, what it sees), each as the port of an adapter of its own."""
    resources = {}
    for port, mac, seen_port in ports:
        # an id is one part of a URI
        uri = f"/redfish/v1/Chassis/1/NetworkAdapters/{port.replace('/', '-')}/Ports/1"
        fields = {
            "@odata.type": "#Port.v1_11_0.Port",
            "Ethernet": {"AssociatedMACAddresses": [mac]},
            "LinkStatus": "LinkUp" if seen_port else "LinkDown",
        }
        resources[uri] = {"@odata.id": uri, **fields}
    return json.dumps(resources, indent=1)
