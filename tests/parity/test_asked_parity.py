"""What a blueprint asks beside the fabric itself, on every NOS: management, tuned QoS, ports."""

from __future__ import annotations

import pytest

from fabricgen.switch.model import list_differences
from tests.parity.asked import MANAGED, RADIUS, SPREAD, TUNED, WEIGHED, WEIGHED_VRFS
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.rendered import ALL_EOS, JUNOS, UNNUMBERED, cluster_of

LIMITS = (("routing.max_prefixes=0",), ("routing.max_prefixes=5000",))
LEAF = "config_of.compute-leaf-p1-su01-r1-01.ports"
HARDWARE = {"eos": ALL_EOS, "sonic": (), "cumulus": ("nos=cumulus",), "junos": JUNOS}
"""NOSes that are asked for all of it, with what makes `leaf-spine` run them; one for the plain case has no entry."""
PORTS = {"eos": ("Ethernet1/1", "Ethernet1/5"), "sonic": ("Ethernet0", "Ethernet4"), "cumulus": ("swp1s0", "swp1s1")}
PORTS["junos"] = ("et-0/0/0:0", "et-0/0/0:1")


def by_hand(nos: str) -> tuple[str, ...]:
    one, other = PORTS[nos]
    return (
        f"{LEAF}.{one}={{description: spare, mtu: 9000, shutdown: true, fec: fc}}",
        f"{LEAF}.{other}={{fec: none, mtu: 1500}}",
    )


ASKED = (MANAGED, RADIUS, TUNED, (*TUNED, *UNNUMBERED), *LIMITS, *SPREAD, *WEIGHED)
CASES = [(nos, asked) for nos in HARDWARE for asked in (*ASKED, by_hand(nos))]
CASES += [(nos, WEIGHED_VRFS) for nos in ("sonic", "cumulus")]


@pytest.mark.tenth
@pytest.mark.parametrize(("nos", "asked"), CASES, ids=lambda v: v if isinstance(v, str) else v[0].partition("=")[0])
def test_what_is_asked_is_said(nos: str, asked: tuple[str, ...]) -> None:
    sets = HARDWARE[nos] + asked
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        found = list(list_differences(read(switch, files), wanted(cluster, switch)))
        assert not found, f"{switch.name}\n{first(found)}"
