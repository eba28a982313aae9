"""What hints say of port names is true of every switch of the catalogue: a NOS that they name can be built for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.ports import name_run_ports
from fabricgen.wiring.tables import SWITCH, DeviceClass

CATALOG = Catalog()
SWITCHES = [CATALOG.switch(name) for name in CATALOG.ids("switches")]
ETHERNET = [switch for switch in SWITCHES if switch.protocol != "infiniband"]


def refusal(switch: SwitchProfile, nos: str, catalog: Catalog = CATALOG) -> tuple[str, str]:
    """(code, hint) of what speaks against port names of a switch's whole cages under a NOS; ("", "") for nothing."""
    cls = DeviceClass(SWITCH, "compute", "leaf", "leaf", switch, nos, 0, 1, ("fabrics",))
    cage = switch.cages[0]
    run = PortRun(1, round(cage.lanes * cage.lane_gbps), cage.lane_gbps, 0, (1,), 1, 1)
    try:
        name_run_ports(catalog, cls, run, 1)
    except InputError as error:
        (found,) = error.diagnostics
        return found.code, found.hint
    return "", ""


@pytest.mark.parametrize("switch", ETHERNET, ids=lambda switch: switch.id)
def test_a_hint_names_only_what_can_be_built(switch: SwitchProfile) -> None:
    usable = CATALOG.list_usable_nos(switch)
    for nos in switch.nos:
        code, hint = refusal(switch, nos)
        if nos in usable:
            assert not code or "use a speed" in hint  # SONiC's table may not have this split
        else:
            assert code in ("FG018", "FG026")
            named = [n for n in switch.nos if f"state `nos: {n}`" in hint or f"run {n}" in hint or f"or {n} on" in hint]
            assert named == list(usable) or "and add catalog/platforms" in hint


def test_some_switches_have_a_nos_that_nothing_is_known_of() -> None:
    codes = {refusal(switch, nos)[0] for switch in ETHERNET for nos in switch.nos}
    assert codes == {"", "FG018", "FG026"}


def test_what_a_hint_asks_to_add_is_read(tmp_path: Path) -> None:
    switch = CATALOG.switch("n9364e-sg2")
    code, hint = refusal(switch, "nxos")
    assert code == "FG018"
    assert "catalog/platforms/nxos.yaml" in hint
    (tmp_path / "platforms").mkdir()
    (tmp_path / "platforms" / "nxos.yaml").write_text(
        "nos: nxos\nsource: NX-OS interface names\nmanagement: mgmt0\nsingle_lane: Ethernet1/{cage}\n"
        "unsplit: Ethernet1/{cage}\nsplit: Ethernet1/{cage}/{sub}\n",
        encoding="utf-8",
    )
    assert refusal(switch, "nxos", Catalog(tmp_path)) == ("", "")


@pytest.mark.parametrize("switch", ["7808r4", "7816r4"])
def test_line_cards_without_names_are_not_told_as_a_missing_port_table(switch: str) -> None:
    code, hint = refusal(CATALOG.switch(switch), "cumulus")
    assert code == "FG026"
    assert "platforms/sonic" not in hint
    assert "run eos on it" in hint


def test_switches_without_a_port_table_are_those_that_the_documentation_names() -> None:
    """docs/hardware.md has those whose files nobody publishes, docs/limits.md the one with virtual output queues."""
    text = (Path(__file__).parents[2] / "docs/hardware.md").read_text(encoding="utf-8")
    section = text.split("## Port tables of SONiC")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    without = {switch.id for switch in SWITCHES if "sonic" in switch.nos and not CATALOG.sonic_platform(switch.id)}
    assert without == named | {"7280r4-32qf-32df"}
