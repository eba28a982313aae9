"""FRR takes what SONiC switches with EVPN multihoming tell it, and makes of it the segments that were planned."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from fabricgen.lab.fabric import Lab, run_ip_batch
from fabricgen.lab.files import Build
from fabricgen.lab.start import ROUTES_ALONE, configure_switches, start_daemons
from fabricgen.nos.frr.routing import read_frr
from tests.conftest import example_cluster
from tests.parity.switches import rendered
from tests.render import frr_lab
from tests.render.rendered import DUAL, EVPN_PAIRS_SONIC

pytestmark = pytest.mark.daemon


@pytest.fixture(scope="module")
def lab(daemons: None) -> Iterator[Lab]:
    """The daemons of the two leaves of a pair, each in a namespace without ports."""
    cluster = example_cluster("evpn-guests", *EVPN_PAIRS_SONIC, *DUAL)
    found = [(switch, files) for switch, files in rendered(cluster, 4) if switch.multihomed][:2]
    texts = {switch.name: files["frr.conf"] for switch, files in found}
    spaces = {name: f"sg{os.getpid()}-{i}" for i, name in enumerate(texts)}
    daemons: list[subprocess.Popen[bytes]] = []
    with frr_lab.short_folder() as folder:
        running = Lab(folder, spaces, Build({f"{name}/frr.conf": text for name, text in texts.items()}))
        try:
            run_ip_batch([f"netns add {space}" for space in spaces.values()])
            daemons += start_daemons(running, texts)
            configure_switches(running, texts)
            yield running
        finally:
            frr_lab.ended(running, daemons, spaces.values())


def test_both_switches_have_the_segments_of_type_3(lab: Lab) -> None:
    """RFC 7432, section 5: 03, the MAC of the LACP system, and three bytes of a number; the same on both."""
    sides = []
    for name in lab.spaces:
        planned = read_frr(lab.build.files[f"{name}/frr.conf"]).segments
        (rows,) = lab.json(name, "show evpn es")
        found = {row["accessPort"]: row["esi"] for row in rows}
        numbers = {bond: f"{n >> 16:02x}:{n >> 8 & 255:02x}:{n & 255:02x}" for bond, n in planned.numbers.items()}
        assert found
        assert found == {bond: f"03:{mac}:{numbers[bond]}" for bond, mac in planned.macs.items()}
        sides.append(found)
    assert sides[0] == sides[1]


def test_frr_keeps_what_it_is_told(lab: Lab) -> None:
    """Tracked links up, the wait at the start, and distinguisher and targets of each VNI, as FRR shows them."""
    for name in lab.spaces:
        planned = read_frr(lab.build.files[f"{name}/frr.conf"])
        shown = lab.ask_frr(name, "show running-config")
        of_the_lab = ("no ip forwarding", "no ipv6 forwarding", ROUTES_ALONE)
        lines = shown[shown.index("hostname ") :].splitlines()
        kept = read_frr("\n".join(line for line in lines if line not in of_the_lab))
        assert kept.segments == planned.segments
        assert planned.segments.tracked
        assert planned.of_vnis
        assert kept.of_vnis == planned.of_vnis
