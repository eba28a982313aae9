"""Each format of modules and ports, in dumps of our own of the shapes that public captures have, which are named."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.optics.report import PortReport
from fabricgen.verify.reading import read_all


def read(folder: Path, dump: Any, name: str = "leaf1.json") -> list[PortReport]:
    """What a dump says of modules and ports."""
    file = folder / name
    file.write_text(dump if isinstance(dump, str) else json.dumps(dump), encoding="utf-8")
    found = read_all([str(file)], jobs=1, optics=True)
    assert found.optics_files == 1
    assert {report.box for report in found.reports} <= {Box(file=str(file)), found.reports[0].box}
    return found.reports


def by_port(reports: list[PortReport]) -> dict[str, PortReport]:
    """Reports by port; ports have one row each."""
    assert len({report.port for report in reports}) == len(reports)
    return {report.port: report for report in reports}


def test_eos_inventory(tmp_path: Path) -> None:
    """Shape: ANTA, tests/units/anta_tests/test_hardware.py (github.com/aristanetworks/anta)."""
    slots = {
        "1": {"mfgName": "Arista Networks", "modelName": "OSFP-800G-2DR4", "serialNum": "XT1 ", "hardwareRev": "20"},
        "2": {"mfgName": "Not Present", "modelName": "", "serialNum": ""},
    }
    cages = by_port(read(tmp_path, {"systemInformation": {"name": "DCS-7060X6-64PE"}, "xcvrSlots": slots}))
    assert cages["1"][2:7] == (True, True, "Arista Networks", "OSFP-800G-2DR4", "XT1")
    assert cages["2"][2:7] == (True, False, "", "", "")


def test_eos_transceiver_summary(tmp_path: Path) -> None:
    """Shape: NAPALM, test/eos/mocked_data/test_get_optics (github.com/napalm-automation/napalm): a row a lane."""
    rows = {
        f"Ethernet3/1/{lane}": {"mediaType": "40GBASE-SR4", "rxPower": -1.5 - lane, "txPower": -0.9, "vendorSn": "XMD1"}
        for lane in range(1, 4)
    }
    ports = by_port(read(tmp_path, {"interfaces": {**rows, "Ethernet4/1/1": {}}}))
    assert list(ports) == list(rows)
    assert ports["Ethernet3/1/2"].rx_dbm == (-3.5,)
    assert ports["Ethernet3/1/2"].told == "40GBASE-SR4"


def test_eos_transceiver_detail(tmp_path: Path) -> None:
    """Shape: ANTA, tests/units/anta_tests/test_interfaces.py, VerifyInterfacesOpticsReceivePower: channels."""
    power = {"unit": "dBm", "channels": {"1": -2.6, "10": -30.1, "2": -2.4}, "threshold": {"lowAlarm": -12.5}}
    row = {
        "displayName": "Ethernet7/1",
        "vendorSn": "T8",
        "mediaType": "400GBASE-DR4",
        "parameters": {"rxPower": power},
    }
    ports = by_port(read(tmp_path, {"interfaces": {"Ethernet7/1": row, "Ethernet3/1": {"displayName": "Ethernet3/1"}}}))
    assert list(ports) == ["Ethernet7/1"]
    assert ports["Ethernet7/1"].rx_dbm == (-2.6, -2.4, -30.1)
    assert ports["Ethernet7/1"].rx_alarm_dbm == -12.5


def test_eos_status(tmp_path: Path) -> None:
    """Shape: ANTA, test_interfaces.py, VerifyInterfaceErrDisabled; and the keys of `show interfaces status`."""
    rows = {
        "Ethernet1/1": {"bandwidth": 400000000000, "linkStatus": "connected", "interfaceType": "400GBASE-DR4"},
        "Ethernet2/1": {"bandwidth": 0, "linkStatus": "notconnect", "interfaceType": "Not Present"},
        "Ethernet3/1": {"bandwidth": 400000000000, "linkStatus": "disabled", "interfaceType": "400GBASE-CR8"},
        "Management1": {"bandwidth": 1000000000, "linkStatus": "connected"},
    }
    ports = by_port(read(tmp_path, {"interfaceStatuses": rows}))
    assert set(ports) == {"Ethernet1/1", "Ethernet2/1", "Ethernet3/1"}
    assert (ports["Ethernet1/1"].speed_gbps, ports["Ethernet1/1"].oper) == (400.0, "up")
    assert (ports["Ethernet2/1"].present, ports["Ethernet2/1"].admin) == (False, "up")
    assert (ports["Ethernet3/1"].speed_gbps, ports["Ethernet3/1"].admin) == (0.0, "down")


def test_eos_phy(tmp_path: Path) -> None:
    """Shape: ANTA, test_interfaces.py, VerifyInterfacesBER: the outermost PHY counts, not a system side."""
    phys = [
        {"description": {"location": "line"}, "preFecBer": {"value": 5.3e-10}},
        {"description": {"phyChipName": "CRT"}},
        {"description": {"location": "line"}, "preFecBer": {"value": 1.25e-5}},
        {"description": {"location": "system"}, "preFecBer": {"value": 1.0}},
    ]
    ports = by_port(read(tmp_path, {"interfacePhyStatuses": {"Ethernet1/1": {"phyStatuses": phys}, "Ethernet2/1": {}}}))
    assert list(ports) == ["Ethernet1/1"]
    assert ports["Ethernet1/1"].pre_fec_ber == 1.25e-5


def test_eos_codewords(tmp_path: Path) -> None:
    """Shape: `show interfaces phy detail | json` of a 7050CX3, where attributes have their changes beside them."""
    fec = {"encoding": "reedSolomon", "uncorrectedCodewords": {"value": 3, "changes": 13, "lastChange": 1.5}}
    phys = [{"description": {"location": "line"}, "fec": fec}, {"description": {"location": "system"}, "fec": {}}]
    (port,) = read(tmp_path, {"interfacePhyStatuses": {"Ethernet1/1": {"phyStatuses": phys}}})
    assert (port.pre_fec_ber, port.uncorrected) == (None, 3)


INFO = {
    "type": "QSFP-DD Double Density 8X Pluggable Transceiver",
    "serial": "INL1 ",
    "manufacturer": "INNOLIGHT",
    "model": "T-DQ8",
    "connector": "MPO 1x12",
    "cable_length": "0",
    "specification_compliance": "N/A",
    "application_advertisement": "{1: {'host_electrical_interface_id': '400GAUI-8 C2M (Annex 120E)', "
    "'module_media_interface_id': '400GBASE-DR4 (Cl 124)', 'media_lane_count': 4}}",
}


@pytest.mark.parametrize("nested", [False, True])
def test_sonic_state_db(tmp_path: Path, nested: bool) -> None:
    """Shape: github.com/sonic-net/sonic-utilities, tests/mock_tables/state_db.json; and of sonic-db-dump."""
    rows = {
        "TRANSCEIVER_INFO|Ethernet0": INFO,
        "TRANSCEIVER_DOM_SENSOR|Ethernet0": {
            "rx1power": "-3.8595",
            "rx2power": "-inf",
            "rx4power": "1",
            "tx1power": "N/A",
        },
        "TRANSCEIVER_DOM_THRESHOLD|Ethernet0": {"rxpowerlowalarm": "-11.9044"},
        "PORT_TABLE|Ethernet0": {"state": "ok", "speed": "400000", "fec": "rs", "admin_status": "up"},
        "PORT_TABLE|Ethernet8": {"state": "ok"},
        "FAN_INFO|1": {"speed": "40"},
    }
    if nested:
        rows = {key: {"type": "hash", "value": row, "ttl": -0.001} for key, row in rows.items()}
    reports = read(tmp_path, rows)
    info, dom, alarm, port, other, absent = reports
    assert info[3:8] == (True, "INNOLIGHT", "T-DQ8", "INL1", "MPO 1x12; 400GBASE-DR4 (Cl 124)")
    assert (dom.rx_dbm, dom.tx_dbm) == ((-3.8595, -40.0), ())
    assert alarm.rx_alarm_dbm == -11.9044
    assert (port.speed_gbps, port.fec, port.admin) == (400.0, "rs", "up")
    assert other.present is None
    assert absent == PortReport(absent.box, "Ethernet8", present=False)


def test_sonic_appl_db_with_neighbours(tmp_path: Path) -> None:
    """One dump may tell of neighbours and of ports; shape: sonic-utilities, tests/mock_tables/appl_db.json."""
    table = {"lanes": "65,66,67,68", "speed": "100000", "oper_status": "down", "admin_status": "up", "fec": "auto"}
    (port,) = read(tmp_path, {"PORT_TABLE:Ethernet4": table, "PORT_TABLE:PortConfigDone": {"count": "1"}})
    assert (port.lanes, port.speed_gbps, port.oper, port.admin, port.fec) == (4, 100.0, "down", "up", "")
    (port,) = read(tmp_path, {"PORT_TABLE": {"Ethernet4": table}})
    assert port.lanes == 4


EEPROM = """\
admin@leaf1:~$ show interfaces transceiver eeprom --dom
Ethernet0: SFP EEPROM detected
        Application Advertisement: 400GAUI-8 C2M (Annex 120E) - Host Assign (0x1) - 400G-FR4/400GBASE-FR4 (Cl 151) - \
Media Assign (0x1)
        Connector: LC
        Length Cable Assembly(m): 0
        Specification compliance: Not supported for CMIS cables
        Vendor Name: INNOLIGHT
        Vendor PN: T-DP4
        Vendor SN: INK7
        ChannelMonitorValues:
                RX1Power: 0.3802dBm
                RX2Power: -0.4871dBm
                TX1Power: 1.175dBm
        ChannelThresholdValues:
                RxPowerLowAlarm   : -13.5067dBm

Ethernet4: SFP EEPROM Not detected

Ethernet8: SFP EEPROM detected
        Connector: No separable connector
        Length Cable Assembly(m): 3
        Specification compliance:
                10/40G Ethernet Compliance Code: 40G Active Cable (XLPPI)
        Vendor Name: Mellanox
        Vendor PN: MFA1A00-C003
"""


def test_sonic_eeprom(tmp_path: Path) -> None:
    """Shape: sonic-utilities, tests/sfp_test.py, a module of SFF-8636 and one of CMIS."""
    ports = by_port(read(tmp_path, EEPROM, "leaf1.txt"))
    assert ports["Ethernet0"][3:8] == (True, "INNOLIGHT", "T-DP4", "INK7", "400G-FR4/400GBASE-FR4 (Cl 151); LC")
    assert ports["Ethernet0"].rx_dbm == (0.3802, -0.4871)
    assert ports["Ethernet0"].tx_dbm == (1.175,)
    assert ports["Ethernet0"].rx_alarm_dbm == -13.5067
    assert ports["Ethernet4"].present is False
    assert (ports["Ethernet8"].part, ports["Ethernet8"].length_m) == ("MFA1A00-C003", 3.0)
    assert ports["Ethernet8"].told == "No separable connector; 40G Active Cable (XLPPI)"


STATUS = """\
  Interface          Lanes    Speed    MTU    FEC    Alias             Vlan    Oper    Admin             Type
-----------  -------------  -------  -----  -----  -------  ---------------  ------  -------  ---------------
  Ethernet0              0      25G   9100     rs     etp1           routed    down       up  QSFP28 or later
 Ethernet16    13,14,15,16     400G   9100   none     etp5  PortChannel0001      up     down
 PortChannel1          N/A      40G   9100    N/A      N/A           routed    down       up              N/A
"""


def test_sonic_status(tmp_path: Path) -> None:
    """Shape: sonic-utilities, tests/intfutil_test.py."""
    ports = by_port(read(tmp_path, STATUS, "leaf1.txt"))
    assert set(ports) == {"Ethernet0", "Ethernet16"}
    assert ports["Ethernet0"][12:17] == (1, 25.0, "rs", "up", "down")
    assert ports["Ethernet16"][12:17] == (4, 400.0, "none", "down", "up")


OLD_STATUS = """\
  Interface            Lanes    Speed    MTU           Alias    Oper    Admin    Type    Asym PFC
-----------  ---------------  -------  -----  --------------  ------  -------  ------  ----------
  Ethernet0      25,26,27,28      40G   9100    fortyGigE0/0      up       up   QSFP+         off
"""


def test_sonic_status_of_images_without_fec(tmp_path: Path) -> None:
    """Shape: sonic-utilities, pull request 483: before there were columns for VLANs and FEC."""
    (port,) = read(tmp_path, OLD_STATUS, "leaf1.txt")
    assert port[12:17] == (4, 40.0, "", "up", "up")


FEC_STATS = """\
      IFACE    STATE    FEC_CORR    FEC_UNCORR    FEC_SYMBOL_ERR    FEC_PRE_BER    FEC_POST_BER    FEC_PRE_BER_MAX
-----------  -------  ----------  ------------  ----------------  -------------  --------------    ---------------
  Ethernet0        U         130             0                 0       1.48e-05        0.00e+00           1.78e-05
  Ethernet8        D           0             0                 0       1.98e-01        0.00e+00           1.67e-01
 Ethernet16        X           0             0                 0            N/A             N/A                N/A
"""


def test_sonic_fec_stats(tmp_path: Path) -> None:
    """Shape: sonic-utilities, doc/Command-Reference.md; counters of ports that are down say nothing."""
    ports = by_port(read(tmp_path, FEC_STATS, "leaf1.txt"))
    assert ports["Ethernet0"][17:] == (1.48e-5, 0.0, 0)
    assert (ports["Ethernet8"].pre_fec_ber, ports["Ethernet8"].oper) == (None, "down")
    assert (ports["Ethernet16"].pre_fec_ber, ports["Ethernet16"].admin) == (None, "down")


OLD_FEC_STATS = """\
Last cached time was 2022-07-29 19:34:08.919717
      IFACE    STATE    FEC_CORR    FEC_UNCORR    FEC_SYMBOL_ERR
-----------  -------  ----------  ------------  ----------------
  Ethernet0        U     136,403         1,034                40
  Ethernet8        D           0             0                 0
"""


def test_sonic_fec_stats_of_images_without_rates(tmp_path: Path) -> None:
    """Shape: sonic-utilities, pull request 2027; rates came with pull request 3607."""
    ports = by_port(read(tmp_path, OLD_FEC_STATS, "leaf1.txt"))
    assert ports["Ethernet0"][17:] == (None, None, 1034)
    assert ports["Ethernet8"][17:] == (None, None, None)


def test_a_table_that_is_cut_off_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the row of Ethernet8 ends early"):
        read(tmp_path, FEC_STATS[: FEC_STATS.index("1.98e-01")], "leaf1.txt")


LINKINFO = """\
Switch: 0x7cfe900300000001 MF0;leaf1:MQM9700/U1:
           1    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       2    1[  ] "n1 mlx5_0" ( )
           1    2[  ] ==( 2X        106.25 Gbps Active/  LinkUp)==>       3    1[  ] "n2 mlx5_0" (Could be 4X)
           1    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           1    4[  ] ==(                Down/Disabled)==>             [  ] "" ( )
CA: n1 mlx5_0:
      0x7cfe9003000000a1      2    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       1    1[  ] "leaf1" ( )
"""
LINKINFO_LINE = (
    '0x7cfe900300000001 "          MF0;leaf1:MQM9700/U1"      1    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>'
    '  0x7cfe9003000000a1      2    1[  ] "n1 mlx5_0" (Could be 106.25 Gbps)\n'
    '0x7cfe9003000000a1 "                     n1 mlx5_0"      2    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>'
    '  0x7cfe900300000001      1    1[  ] "MF0;leaf1:MQM9700/U1" (Could be 106.25 Gbps)\n'
)


def test_iblinkinfo(tmp_path: Path) -> None:
    """Shape: iblinkinfo of infiniband-diags over ibsim, where it was run; speeds are printed as signalling rates."""
    ports = by_port(read(tmp_path, LINKINFO, "ib.txt"))
    assert {report.box for report in ports.values()} == {Box("MF0;leaf1:MQM9700/U1", "0x7cfe900300000001")}
    assert ports["1"][12:17] == (4, 400.0, "", "", "up")
    assert ports["2"][12:17] == (2, 200.0, "", "", "up")
    assert ports["3"][12:17] == (0, 0.0, "", "", "down")
    assert ports["4"][12:17] == (0, 0.0, "", "down", "down")
    (port,) = read(tmp_path, LINKINFO_LINE, "ib.txt")
    assert (port.speed_gbps, port.lanes, port.port) == (200.0, 4, "1")


def test_dumps_below_names_of_devices(tmp_path: Path) -> None:
    """One JSON with a dump for each device, as collectors write them."""
    row = {"interfaceStatuses": {"Ethernet1/1": {"linkStatus": "connected", "bandwidth": 1e11}}}
    file = tmp_path / "all.json"
    file.write_text(json.dumps({"leaf1": row, "leaf2": row}), encoding="utf-8")
    reports = read_all([str(file)], jobs=1, optics=True).reports
    assert [report.box for report in reports] == [Box(name="leaf1"), Box(name="leaf2")]


def test_optics_are_known_without_being_asked_for(tmp_path: Path) -> None:
    """Without --optics such a dump is no error, and says nothing."""
    file = tmp_path / "leaf1.txt"
    file.write_text(STATUS, encoding="utf-8")
    found = read_all([str(file)], jobs=1, optics=False)
    assert (found.optics_files, found.reports, found.ignored, found.files) == (1, [], [], 1)


BROKEN = [
    ({"xcvrSlots": {"1": "none", "2": {"mfgName": "A", "modelName": "B"}}}, "'1' is 'none', not an object"),
    ({"interfaceStatuses": {"Ethernet1": []}}, "'Ethernet1' is a list, not an object"),
    ({"interfacePhyStatuses": {"Ethernet1": {"phyStatuses": {"a": 1}}}}, "'phyStatuses' is an object, not a list"),
    ({"interfaces": {"Ethernet1": {"mediaType": "x", "parameters": "y"}}}, "'parameters' is 'y', not an object"),
    ({"TRANSCEIVER_INFO|Ethernet0": 7}, "is '7', not an object"),
    (STATUS[:-60].replace("PortChannel1", "Ethernet99"), "the row of Ethernet99 ends early"),
    (LINKINFO.replace("Active/  LinkUp)==>       2", "Active)==> 2"), "is no line of iblinkinfo"),
]


@pytest.mark.parametrize(("dump", "says"), BROKEN)
def test_a_broken_dump_is_told_with_its_place(tmp_path: Path, dump: Any, says: str) -> None:
    """FG065 at the line of what is wrong."""
    with pytest.raises(InputError) as error:
        read(tmp_path, dump)
    (fault,) = error.value.diagnostics
    assert fault.code == "FG065"
    assert says in fault.message
    assert fault.span is not None


HOSTILE = [
    {"xcvrSlots": {"1": {"mfgName": 7, "modelName": ["x"], "serialNum": "\x1b[31m" + "S" * 10_000}}},
    {"interfaces": {"Ethernet1": {"rxPower": "NaN", "txPower": 1e999, "mediaType": {"a": 1}}}},
    {"interfaces": {"Ethernet1": {"parameters": {"rxPower": {"channels": {"9" * 5000: 1, "x": 2, "1": None}}}}}},
    {"interfaceStatuses": {"Ethernet1": {"bandwidth": int("9" * 4000), "linkStatus": None}}},
    {"TRANSCEIVER_INFO|Ethernet0": {"application_advertisement": "'module_media_interface_id': '" * 50_000}},
    {
        "TRANSCEIVER_DOM_SENSOR|Ethernet0": {"rx1power": " " * 300_000 + "1"},
        "PORT_TABLE|Ethernet0": {"lanes": "1," * 9999},
    },
    "Ethernet0: SFP EEPROM detected\n" + " " * 500_000 + "x\n" + "a:" * 100_000,
    LINKINFO + " " * 500_000 + "\n" + '0x1 "' * 10_000,
    STATUS + "Ethernet4 " + "  x" * 100_000,
]


@pytest.mark.parametrize("dump", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_dumps_end_soon(tmp_path: Path, dump: Any) -> None:
    """Odd types, numbers without end, escapes, runs of blanks: what is kept is short, printable and finite."""
    reports: list[PortReport] = []
    with contextlib.suppress(InputError):
        reports = read(tmp_path, dump)
    for report in reports:
        assert all(text.isprintable() for text in (report.vendor, report.part, report.serial, report.told))
        assert len(report.serial) <= 64
        assert all(-1e6 < power < 1e6 for power in (*report.rx_dbm, *report.tx_dbm))
        assert report.speed_gbps < 1e15
