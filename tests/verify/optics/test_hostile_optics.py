"""Dumps that were changed anywhere: they are read, or refused with a place; what was read can be judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.optics.report import PortReport
from fabricgen.verify.reading import read_all
from tests.verify.optics.halls import judged
from tests.verify.optics.test_optics_dumps import EEPROM, FEC_STATS, INFO, LINKINFO, LINKINFO_LINE, STATUS

POWER = {"channels": {"1": -2.6, "2": -30.1}, "threshold": {"lowAlarm": -12.5}}
JSON: list[Any] = [
    {"xcvrSlots": {"1": {"mfgName": "A", "modelName": "MMA4Z00-NS", "serialNum": "S"}, "2": {}}},
    {"interfaces": {"Ethernet1/1": {"mediaType": "400GBASE-DR4", "parameters": {"rxPower": POWER, "txPower": POWER}}}},
    {"interfaceStatuses": {"Ethernet2/1": {"bandwidth": 2e11, "linkStatus": "connected", "interfaceType": "AOC"}}},
    {"interfacePhyStatuses": {"Ethernet2/1": {"phyStatuses": [{"preFecBer": {"value": 1e-3}}]}}},
    {"TRANSCEIVER_INFO|Ethernet0": INFO, "PORT_TABLE|Ethernet4": {"speed": "400000", "fec": "rs", "lanes": "1,2"}},
    {"leaf1": {"TRANSCEIVER_DOM_SENSOR": {"Ethernet2": {"rx1power": "-40", "tx1power": "1.0"}}}},
]
TEXTS = [EEPROM, STATUS, FEC_STATS, LINKINFO, LINKINFO_LINE]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["-inf", "1e999"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def changed(value: Any, draw: Callable[..., Any]) -> Any:
    """A value with another one somewhere in it."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 3)) == 0:
        return draw(values)
    if isinstance(value, list):
        return [changed(value[0], draw), *value[1:]]
    key = draw(st.sampled_from(sorted(value)))
    return {**value, key: changed(value[key], draw)}


@st.composite
def dumps(draw: Callable[..., Any]) -> str:
    """A dump of some format with a few changes, and perhaps cut short."""
    if draw(st.booleans()):
        return json.dumps(changed(draw(st.sampled_from(JSON)), draw))
    text: str = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.text(max_size=6)) + text[at + draw(st.integers(0, 12)) :]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


def read(text: str) -> tuple[list[Diagnostic], list[PortReport]]:
    """(what is wrong with a dump, what it says of modules and ports)."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "leaf1.json")
        file.write_text(text, encoding="utf-8", errors="replace")
        try:
            return [], read_all([str(file)], jobs=1, optics=True).reports
        except InputError as error:
            return list(error.diagnostics), []


@pytest.mark.slow
@given(dumps())
@settings(max_examples=400, deadline=None)
def test_any_dump_is_read_or_refused(text: str) -> None:
    """No exception but those for faults of input, and no report that cannot be judged or shown."""
    faults, reports = read(text)
    assert all(fault.code == "FG065" and fault.span for fault in faults)
    assert all(text.isprintable() for report in reports for text in (report.vendor, report.part, report.told))
    actions, notes = judged(*(report._replace(box=Box(name="leaf1")) for report in reports))
    assert all(action.text and action.cables and action.ends and not action.moves for action in actions)
    assert all(note.isprintable() for note in notes)
