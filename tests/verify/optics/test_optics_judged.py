"""What is said of modules, cables and ports that are not as planned: an action a cable, in words of the hall."""

from __future__ import annotations

import pytest

from fabricgen.verify.actions import CableState, Kind
from fabricgen.verify.optics.report import PortReport
from tests.verify.optics import halls
from tests.verify.optics.halls import DR, LINKS, at, judged

GOOD = [
    at("leaf1", "Ethernet1/1", part=DR, vendor="NVIDIA", told="800GBASE-2XDR4", oper="up", speed_gbps=800.0),
    at("spine1", "Ethernet1/1", part="mms4x00-nm", oper="up", speed_gbps=800.0, fec="rs"),
    at("leaf1", "Ethernet2/1", told="400GBASE-SR4", part="OSFP-400G-SR4", fec="rs", rx_dbm=(1.0, 0.5, 0.1, -1.2)),
    at("leaf1", "3", is_cage=True, part="MCP4Y10-N002", told="800GBASE-CR8"),
    at("leaf1", "Ethernet4/1", part="X", told="No separable connector; 400G-SR4", length_m=10.0, pre_fec_ber=3e-9),
    at("leaf1", "Ethernet5/1", part="MMA4Z00-NS", present=True, tx_dbm=(1.0,) * 8, rx_dbm=(0.5,) * 8, lanes=4),
    at("leaf1", "Ethernet6/1", told="400G-FR4/400GBASE-FR4 (Cl 151)"),
    at("leaf1", "Ethernet7/1", told="1000BASE-T", speed_gbps=1.0),
    at("leaf1", "Ethernet8/1", told="100GBASE-SR4", fec="none"),
]


def test_what_is_as_planned_is_not_told() -> None:
    """Parts as planned, others of the same kind where no vendor is planned, good light, few errors: no action."""
    actions, notes = judged(*GOOD)
    assert actions == ()
    assert notes == ("optics: modules or ports of 8 of 15 planned cages are told of by dumps",)


PARTS = [
    (at("leaf1", "Ethernet1/1", part="MMA4Z00-NS"), "has MMA4Z00-NS (SR, 50 m); MMS4X00-NM (DR, 500 m)"),
    (at("leaf1", "Et1/1", vendor="OEM", part="Q1", serial="S7", told="800GBASE-2FR4"), "OEM Q1 (FR, 2 km, serial S7)"),
    (at("leaf1", "1", is_cage=True, part="MMS4X00-NS"), "(DR, 100 m); the cable has 300 m"),
    (at("leaf1", "Ethernet1/1", part="Q2", told="400GBASE-DR4"), "it carries 400G, and 800G is planned"),
    (at("leaf1", "2", is_cage=True, told="400GBASE-CR8"), "has a module (copper); sr8-100g-osfp-400g (SR, 50 m)"),
    (at("leaf1", "3", is_cage=True, part="MCP4Y10-N01A"), "(copper, 1.5 m)"),
    (at("leaf1", "3", is_cage=True, part="MCP4Y10-N001"), "(copper, 1 m); MCP4Y10-N002 (copper, 2 m)"),
    (at("leaf1", "3", is_cage=True, told="Active Optical Cable", length_m=2.0), "has a module (AOC, 2 m)"),
    (at("leaf1", "Ethernet4/1", told="Active Cable", part="Z", length_m=20.0), "has Z (AOC, 20 m)"),
    (at("leaf1", "Ethernet6/1", told="400GBASE-LR4"), "has a module (LR, 10 km); 2fr4-osfp-400g (FR, 2 km)"),
    (at("leaf1", "2", is_cage=True, present=False), "leaf1, cage 2 has no module in it"),
    (at("leaf1", "3", is_cage=True, present=False), "has no cable in it; MCP4Y10-N002"),
]
LIGHT = [
    (at("leaf1", "Ethernet2/1", pre_fec_ber=3e-4), "3.0e-04, over the 0.00024 that RS(544,514)"),
    (at("leaf1", "Ethernet2/1", pre_fec_ber=3e-5), "3.0e-05, within a factor of 10 of the 0.00024"),
    (at("leaf1", "Ethernet8/1", pre_fec_ber=6e-5), "6.0e-05, over the 5e-05 that RS(528,514)"),
    (at("leaf1", "Ethernet2/1", rx_dbm=(1.0, -14.2), rx_alarm_dbm=-13.5), "receives -14.2 dBm on lane 2, below the"),
    (at("leaf1", "Ethernet2/1", rx_dbm=(-40.0,) * 4), "receives no light; what spine1:Ethernet2/1 sends is not told"),
    (at("leaf1", "Ethernet2/1", rx_dbm=(0.0, -40.0, 0.0, 0.0)), "receives no light on 1 of 4 lanes"),
]
PORTS = [
    (at("leaf1", "Ethernet2/1", speed_gbps=200.0, lanes=4), "runs at 200G over 4 lanes; 400G is planned"),
    (at("leaf1", "Ethernet2/1", speed_gbps=400.0, lanes=8), "has 8 lanes for 400G; 4 of 100G are planned"),
    (at("leaf1", "Ethernet2/1", fec="none"), "has no FEC; 400G over lanes of 100G needs RS-FEC"),
    (at("leaf1", "Ethernet2/1", admin="down", oper="down"), "Ethernet2/1 is shut down"),
    (at("leaf1", "Ethernet2/1", admin="up", oper="down"), "Ethernet2/1 is down"),
]


@pytest.mark.parametrize(
    ("report", "says", "kind"),
    [(*each, Kind.OPTIC) for each in PARTS + LIGHT] + [(*each, Kind.PORT) for each in PORTS],
)
def test_a_fault(report: PortReport, says: str, kind: Kind) -> None:
    """Each fault is one action with no moves, whose text has its place and its figures."""
    actions, _ = judged(report)
    assert [action.kind for action in actions] == [kind]
    assert says in actions[0].text
    assert actions[0].moves == 0
    assert actions[0].ends[0].device == "leaf1"
    assert actions[0].ends[0].label == f"{actions[0].cables[0]} a"
    assert (actions[0].ends[0].rack, actions[0].ends[0].u) == ("r1", 40)


def test_all_that_is_wrong_of_a_cable_is_one_action() -> None:
    """Wrong part, no FEC and a shut port of one cable: one action, of the parts; two cables: two."""
    actions, _ = judged(
        at("leaf1", "Ethernet2/1", told="400GBASE-FR4", fec="none", pre_fec_ber=1e-3),
        at("spine1", "Ethernet2/1", admin="down"),
        at("leaf1", "Ethernet3/1", speed_gbps=400.0),
    )
    assert [action.kind for action in actions] == [Kind.OPTIC, Kind.PORT]
    assert actions[0].cables == ("leaf1:2",)
    assert {end.device for end in actions[0].ends} == {"leaf1", "spine1"}
    for part in ("FR, 2 km", "no FEC", "is shut down", "before FEC"):
        assert part in actions[0].text


def test_light_on_one_side_only() -> None:
    """What the far end sends says whether the fibre or the transmitter is at fault."""
    dark = at("leaf1", "Ethernet2/1", rx_dbm=(-40.0,) * 4, tx_dbm=(1.0,) * 4)
    sending = at("spine1", "Ethernet2/1", tx_dbm=(1.1, 0.9, 1.0, 1.0), rx_dbm=(0.0,) * 4)
    silent = at("spine1", "Ethernet2/1", tx_dbm=(-40.0,) * 4)
    (action,), _ = judged(dark, sending)
    assert "though spine1:Ethernet2/1 sends 1.1 dBm: a dirty, bent or broken fibre" in action.text
    (action,), _ = judged(dark, silent)
    assert "and spine1:Ethernet2/1 sends none: look at its port and its module" in action.text


def test_light_of_a_cable_that_is_called_dark() -> None:
    """That no light arrives there is told only with what the other end says of its own."""
    states = [int(CableState.DARK)] * len(LINKS)
    dark, sending = at("leaf1", "Ethernet2/1", rx_dbm=(-40.0,) * 4), at("spine1", "Ethernet2/1", tx_dbm=(1.0,) * 4)
    assert judged(dark, states=states)[0] == ()
    (action,), _ = judged(dark, sending, states=states)
    assert "though spine1:Ethernet2/1 sends 1.0 dBm" in action.text


def test_a_module_that_is_told_at_one_port_of_its_cage() -> None:
    """Another port of the cage that names none does not take it out."""
    rows = at("leaf1", "Ethernet5/1", present=True, part="MMA4Z00-NS"), at("leaf1", "Ethernet5/5", present=False)
    assert judged(*rows)[0] == ()
    assert judged(*reversed(rows))[0] == ()
    (action,), _ = judged(rows[1], rows[1]._replace(port="Ethernet5/1"))
    assert "leaf1, cage 5 has no module in it" in action.text


def test_lanes_of_a_shared_cage() -> None:
    """Of eight lanes of a twin port, each port has its own four; a port that is up is not called dark."""
    half = (0.5,) * 4 + (-40.0,) * 4
    (action,), _ = judged(at("leaf1", "Ethernet5/1", rx_dbm=half), at("leaf1", "Ethernet5/5", rx_dbm=half))
    assert action.cables == ("leaf1:5.2",)
    assert "leaf1:Ethernet5/5 receives no light;" in action.text
    actions, _ = judged(at("leaf1", "Ethernet5/5", rx_dbm=half, oper="up"))
    assert actions == ()


def test_lanes_in_rows_of_their_own() -> None:
    """EOS has a row a lane: those of a cage are put together."""
    rows = [at("leaf1", f"Ethernet2/{lane}", rx_dbm=(power,)) for lane, power in enumerate((0.1, -35.0, 0.2, 0.3), 1)]
    (action,), _ = judged(*rows)
    assert "receives no light on 1 of 4 lanes" in action.text
    assert action.cables == ("leaf1:2",)


def test_fec_unlike_at_the_ends_is_told_once() -> None:
    """With both ends known the pair is judged, not each end."""
    (action,), _ = judged(at("leaf1", "Ethernet2/1", fec="rs"), at("spine1", "Ethernet2/1", fec="none"))
    assert action.text.count("FEC") == 2
    assert "needs RS-FEC" not in action.text
    assert "has RS-FEC and spine1:Ethernet2/1 has no FEC" in action.text


def test_a_module_with_fec_of_its_own_has_other_fec_than_its_far_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A 100GBASE-DR in QSFP28 corrects errors itself: its port has none, and the far one has RS-FEC."""
    dr1 = ("leaf1:9", "fibre", "DR", "15", "Ethernet9/1", "9", DR, "n1", "eth2", "eth2", "dr1-25g-qsfp28-100g", "100")
    monkeypatch.setattr(halls, "LINKS", (*LINKS, dr1))
    assert judged(at("leaf1", "Ethernet9/1", fec="rs"), at("n1", "eth2", fec="none"))[0] == ()


def test_a_wrong_module_of_a_twin_port_is_one_action_for_both_cables() -> None:
    """What is in a cage concerns all its cables."""
    (action,), _ = judged(at("leaf1", "5", is_cage=True, part=DR))
    assert action.cables == ("leaf1:5.1", "leaf1:5.2")
    assert [end.port for end in action.ends] == ["Ethernet5/1", "Ethernet5/5"]


def test_notes() -> None:
    """Other parts of the same kind, parts that tell nothing, spare modules and strangers are notes with counts."""
    actions, notes = judged(
        at("leaf1", "1", is_cage=True, part="QDD-X", told="800GBASE-DR8"),
        at("leaf1", "5", is_cage=True, part="WHO-KNOWS"),
        at("leaf1", "33", is_cage=True, present=True, part="MMA4Z00-NS"),
        at("leaf1", "34", is_cage=True, present=False),
        at("other", "Ethernet1", speed_gbps=100.0),
    )
    assert actions == ()
    text = "\n".join(notes)
    assert "modules or ports of 2 of 15 planned cages" in text
    assert "1 x another part than planned, of the same kind: leaf1, cage 1 (QDD-X for MMS4X00-NM)" in text
    assert "1 x a part that the catalogue does not know" in text
    assert "1 x a module or cable is plugged in where none is planned: leaf1, cage 33 (MMA4Z00-NS)" in text
    assert "1 x a device that the plan does not have: other" in text


def test_cables_that_are_elsewhere_are_not_judged_and_dark_ones_not_called_down() -> None:
    """A plug in another hole brings its module along: it is judged once it is moved."""
    states = [CableState.AS_PLANNED] * len(LINKS)
    states[0], states[1] = CableState.ELSEWHERE, CableState.DARK
    actions, notes = judged(
        at("leaf1", "Ethernet1/1", part="MMA4Z00-NS", speed_gbps=400.0),
        at("leaf1", "Ethernet2/1", oper="down"),
        states=[int(state) for state in states],
    )
    assert actions == ()
    assert "optics: 1 cables that are plugged elsewhere are judged once they are moved" in notes


def test_no_dump_of_optics_is_said() -> None:
    """--optics without any dump of modules or ports."""
    assert judged() == ((), ("no dump tells of modules or ports: nothing was held against cables.csv",))


def test_what_it_costs() -> None:
    """A slow port lacks the rest of its speed; one that is shut, or has no module, all of it; worse counts."""
    slow, shut = at("leaf1", "Ethernet2/1", speed_gbps=100.0), at("leaf1", "Ethernet2/1", admin="down")
    empty = at("leaf1", "5", is_cage=True, present=False)
    costs = [judged(*rows)[0][0].consequence for rows in ([slow], [slow, shut], [empty])]
    assert [sum(cost.lost_gbps.values()) for cost in costs] == [300, 400, 800]
    assert [cost.links for cost in costs] == [1, 1, 2]
    dark = [int(CableState.DARK)] * len(LINKS)
    assert not judged(empty, states=dark)[0][0].consequence.lost_gbps
    assert not judged(at("leaf1", "Ethernet2/1", fec="none"))[0][0].consequence.lost_gbps


def test_ids_stay() -> None:
    """The same finding has the same id whatever else is found."""
    (alone,), _ = judged(at("leaf1", "Ethernet2/1", speed_gbps=200.0))
    among, _ = judged(at("leaf1", "Ethernet2/1", speed_gbps=200.0), at("leaf1", "Ethernet3/1", speed_gbps=400.0))
    assert alone.id in [action.id for action in among]


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ({"post_fec_ber": 2e-11}, "has an error rate after FEC of 2.0e-11, over 1e-13: frames are lost now"),
        ({"post_fec_ber": 2e-11, "uncorrected": 9}, "an error rate after FEC of 2.0e-11, over 1e-13"),
        ({"uncorrected": 1034}, "has 1,034 codewords that FEC could not correct since its counters were cleared"),
        ({"uncorrected": 5, "pre_fec_ber": 5e-5}, "has 5 codewords that FEC could not correct"),
    ],
)
def test_frames_that_are_lost(rates: dict[str, float], told: str) -> None:
    """A rate after FEC shows loss now (IEEE 802.3bs: 1e-13 at 400G); a count shows that there was some."""
    (action,), _ = judged(at("leaf1", "Ethernet2/1", **rates))
    assert action.kind is Kind.OPTIC
    assert told in action.text


@pytest.mark.parametrize("rates", [{"post_fec_ber": 0.0}, {"post_fec_ber": 4e-14}, {"pre_fec_ber": 1e-9}])
def test_codewords_lost_before_rates_were_good_are_a_note(rates: dict[str, float]) -> None:
    """Links that come up leave some behind (sonic-utilities, pull request 4124: 4 beside 5.65e-11 and 0)."""
    actions, notes = judged(at("leaf1", "Ethernet2/1", uncorrected=4, **rates))
    assert actions == ()
    assert notes[1] == (
        "optics: 1 x has codewords that FEC could not correct, from before: its error rates are good now: "
        "leaf1:Ethernet2/1"
    )
