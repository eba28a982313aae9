"""No reader passes over a line: taken away from what was written, the switch is another one, or is refused.

So that reading what was written gives what was asked for because all of it is read.
"""

from __future__ import annotations

import re

import pytest

from fabricgen.kernel.nos_rooms import load_part
from fabricgen.running.tree import STUMBLES
from tests.laws import Asked, law_cases
from tests.parity.switches import Files, switches_of
from tests.parity.taken_away import Loss, losses
from tests.parity.test_claims import read_back
from tests.render.rendered import ALL_EOS, CUMULUS, JUNOS

SMALL = ("bonded-pair", "evpn-guests", "leaf-spine", "mi300x-roce", "tenants", "two-exits", "two-site")
"""Examples that are read often: with what is asked of them they state every claim."""

ON_LEAVES: dict[str, tuple[str, ...]] = {"sonic": (), "eos": ALL_EOS, "cumulus": CUMULUS, "junos": JUNOS}
"""NOSes, and what makes `leaf-spine` run them."""

NAMED_NOWHERE = "a list or map that no session of a VRF over EVPN names"
EMPTY_VRF = "of a VRF in which the switch has no session, or no subnet"
FOR_PEOPLE = "a text for people, or a name that nothing else says"
COUNTS = "counts, and changes nothing"
SECRET = "a secret, or a file that is kept on the switch"
SAYS_NOTHING = "denies what would not pass without it either"

NO_PART: dict[str, dict[str, str]] = {
    "sonic": {
        r"SNMP (CONTACT|LOCATION).*|ACL_TABLE \S+ policy_desc": FOR_PEOPLE,
        r"(TACPLUS|RADIUS) global.*": SECRET,
        r"ACL_RULE \S+ PRIORITY": "an order of rules that do not meet",
        r"BUFFER_(POOL|PROFILE) \S+ (xoff|xon_offset)|BUFFER_PROFILE queue#_lossy_profile": (
            "what the platform publishes, which is held against it where files are rendered"
        ),
        r"STATIC_ROUTE \S+ advertise": "true is what bgpcfgd takes without it, and false is for no BGP",
        r"frr defaults traditional|service integrated-vtysh-config": "how FRR keeps its files",
        r"log syslog informational|router bgp .* / bgp log-neighbor-changes": "how FRR keeps its log",
        r"router bgp # / neighbor \S+ capability extended-nexthop": "FRR does so by itself over an interface",
        r"route-map CONNECTED#? deny #|router bgp .* / neighbor \S+ route-map EXIT-\S+-OUT#? out": SAYS_NOTHING,
        r"router bgp # vrf \S+ / (timers bgp # #|address-family \S+ unicast / redistribute connected .*)": EMPTY_VRF,
        r"(bgp as-path access-list|ip prefix-list) (AGGREGATES|EXITS|OUTSIDE)-Vrf_(inband|green) .*": NAMED_NOWHERE,
        r"route-map (IN|OUT)-Vrf_(inband|green) .*": NAMED_NOWHERE,
    },
    "eos": {
        r"snmp-server (contact|location) .*|vlan # / name .*|interface \S+ / description .*": FOR_PEOPLE,
        r"management security.*": SECRET,
        r"(qos profile .* / random-detect|hardware counter feature) ecn (count|out)": COUNTS,
        r"router bfd|router bgp # / neighbor \S+ bfd interval # min-rx # multiplier #": "timers that are EOS's own",
        r"route-map EXIT-\S+-OUT deny #": SAYS_NOTHING,
        r"router bgp # / vrf \S+ / (timers bgp # #|redistribute connected .*)|route-map CONNECTED-oob .*": EMPTY_VRF,
        r"ip (as-path access-list|prefix-list) (AGGREGATES|EXITS|OUTSIDE)-(inband|green).*": NAMED_NOWHERE,
        r"route-map (IN|OUT)-(inband|green) .*": NAMED_NOWHERE,
    },
    "cumulus": {
        r"interface \S+ description .*|system snmp-server system-(contact|location) .*": FOR_PEOPLE,
        r"system (api certificate|aaa \S+ server \S+ secret) .*": SECRET,
        r"interface \S+ link (breakout \S+ lanes-per-port|lanes) .*": "lanes of a port of its speed",
        r"router policy prefix-list \S+ rule # match \S+ max-prefix-len .*": "no prefix is longer",
        r"vrf .* peer-group \S+ address-family ipv#-unicast state disabled": "off without a word",
        r"interface \S+ bridge domain br_default stp bpdu-guard disabled": "off without a word",
        r"router policy route-map OUT#?-(inband|green) rule # match as-path-list \S+": NAMED_NOWHERE,
    },
    "junos": {
        r"interfaces irb unit # description .*|snmp (contact|location) .*": FOR_PEOPLE,
        r"system \S+-server \S+ secret .*": SECRET,
    },
}
"""By NOS, what has no part in the model of a switch by its nature, and why."""


def passed_over(nos: str, files: Files, lost: list[Loss]) -> list[str]:
    """What is taken away from files, and not missed."""
    reader = load_part(nos, "reader").read
    whole = reader(files)

    def is_missed(loss: Loss) -> bool:
        try:
            return bool(reader(loss.files()) != whole)
        except STUMBLES:
            return True

    return [loss.what for loss in lost if not is_missed(loss)]


def has_no_part(nos: str, what: str) -> bool:
    return any(re.fullmatch(pattern, what) for pattern in NO_PART[nos])


@pytest.mark.tenth
@pytest.mark.law
@pytest.mark.parametrize("nos", ON_LEAVES)
def test_what_a_leaf_loses_is_missed(nos: str) -> None:
    _, files = next(pair for pair in switches_of("leaf-spine", ON_LEAVES[nos]) if pair[0].is_lowest)
    lost = [loss for loss in losses(files) if not has_no_part(nos, loss.what)]
    some = law_cases(f"what a leaf of {nos} loses", lost, lambda loss: loss.what)
    assert passed_over(nos, files, some) == []


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize("nos", ON_LEAVES)
def test_whatever_is_taken_away_is_missed(nos: str) -> None:
    """All that differs in more than numbers, until it is missed once; and no entry of the table is dead.

    A line may have no effect on one switch, as of a VRF in which it has no session, and have one on another.
    """
    missed, silent = set[str](), set[str]()
    cases = [(name, sets) for name, sets in dict.fromkeys(read_back()) if name in SMALL]
    for name, sets in law_cases("what switches lose", cases):
        for switch, files in switches_of(name, sets, 2):
            if switch.tier.nos == nos:
                lost = [loss for loss in losses(files) if loss.what not in missed]
                silent |= (passed := set(passed_over(nos, files, lost)))
                missed |= {loss.what for loss in lost} - passed
    assert [what for what in sorted(silent - missed) if not has_no_part(nos, what)] == []
    if Asked.whole:
        assert [entry for entry in NO_PART[nos] if not any(re.fullmatch(entry, what) for what in silent)] == []
