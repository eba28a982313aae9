"""The writers of dumps: a hall is the same in every format."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from fabricgen.addons.emulation.dumps import (
    Seen,
    eos,
    ibdiagnet,
    ibdiagnet_net_dump,
    iblinkinfo,
    ibnetdiscover,
    ibnetdiscover_ports,
    junos,
    lldp_entry_table,
    lldpctl,
    mac_tables,
    nvue,
    openconfig,
    plain,
    sonic,
    ufm_ndt,
)
from fabricgen.addons.emulation.dumps._subnet import SwitchFace, list_ends
from fabricgen.addons.emulation.faults import FAULTS
from fabricgen.addons.emulation.model import Hall
from tests.hall.compiled import plan_of, verify

ETHERNET: dict[str, Callable[[Seen], dict[str, str]]] = {
    "lldpctl": lldpctl.write,
    "eos": eos.write,
    "eos at a prompt": lambda seen: eos.write(seen, prompts=True),
    "junos": junos.write,
    "lldp_entry_table": lldp_entry_table.write,
    "nvue": nvue.write,
    "openconfig": openconfig.write,
    "sonic": sonic.write,
}


@pytest.mark.tenth
@pytest.mark.parametrize("name", ETHERNET)
def test_agents_of_lldp_tell_what_the_plain_list_tells(name: str) -> None:
    hall = _hall(
        "leaf-spine", "swap_at_node", "ring", "tails_permuted", "cable_unplugged", "device_off", "boxes_exchanged"
    )
    seen = hall.list_sightings()
    assert _told("leaf-spine", ETHERNET[name](seen)) == _told("leaf-spine", plain.write(seen))


def test_a_cage_with_splitters_gives_all_cages_of_its_tier_more_numbers() -> None:
    """As `opensm` numbers ports and `verify` reads them: cage 2 has four ports, so cage 1 has every other number."""
    seen = {("leaf", port): None for port in ("1/1", "1/2", "2/1", "2/4", "3/1")}
    ends = list_ends(seen, {"leaf": SwitchFace("qm9700", {"1": 2, "2": 4, "3": 2})})
    assert [ends["leaf", port].port for port in ("1/1", "1/2", "2/1", "2/4", "3/1")] == [1, 3, 5, 8, 9]


@pytest.mark.tenth
@pytest.mark.parametrize(
    "name",
    ["ibnetdiscover", "ibnetdiscover -g", "ibnetdiscover --ports", "iblinkinfo", "ibdiagnet", "net_dump", "ndt"],
)
def test_subnets_tell_what_the_plain_list_tells(name: str) -> None:
    example = "superpod-b200-3tier"
    hall = _hall(example, "swap_at_leaf", "swap_at_node", "cable_unplugged", "boxes_exchanged")
    seen = hall.list_sightings()
    cages = dict.fromkeys(map(str, range(1, 33)), 2)
    opensm = {device: row for device, row in hall.plan.devices.items() if row["nos"] == "opensm"}
    switches = {device: SwitchFace(row["model"], cages) for device, row in opensm.items()}
    dumps = {
        "ibnetdiscover": ibnetdiscover.write_subnet(seen, switches),
        "ibnetdiscover -g": ibnetdiscover.write_subnet(seen, switches, grouped=True),
        "ibnetdiscover --ports": ibnetdiscover_ports.write_subnet(seen, switches),
        "ibdiagnet": ibdiagnet.write_subnet(seen, switches),
        "iblinkinfo": iblinkinfo.write_subnet(seen, switches),
        "net_dump": ibdiagnet_net_dump.write_subnet(seen, switches),
        "ndt": ufm_ndt.write_subnet(seen, switches),
    }
    assert _told(example, dumps[name]) == _told(example, plain.write(seen))


MACS = {
    **dict.fromkeys(("mac-address-table", "mac-address-table-json"), "rail-groups"),
    **dict.fromkeys(("mac-table-json", "ethernet-switching-table"), "four-tier"),
}
"""Examples whose switches call their ports as a form does; others take any name."""


@pytest.mark.slow
@pytest.mark.parametrize("style", mac_tables.STYLES)
def test_macs_of_hosts_without_lldp_tell_what_the_plain_list_tells(style: str) -> None:
    example = MACS.get(style, "leaf-spine")
    hall = _hall(example, "swap_at_node", "ring", "tails_permuted", "cable_unplugged", "boxes_exchanged")
    seen = hall.list_sightings()
    nos = {name: hall.plan.devices[place]["nos"] for place, name in hall.names.items()}
    assert _told(example, mac_tables.write_hall(seen, nos, style)) == _told(example, plain.write(seen))


def _hall(example: str, *faults: str) -> Hall:
    hall = Hall(plan_of(example))
    random = Random(example)
    assert all(FAULTS[fault](hall, random) for fault in faults)
    return hall


def _told(example: str, dumps: dict[str, str]) -> list[tuple[str, str]]:
    verdict = verify(example, dumps)
    assert (verdict.code, verdict.errors) == (1, "")
    assert len(verdict.actions) > 3
    return [(action["id"], action["text"]) for action in verdict.actions]
