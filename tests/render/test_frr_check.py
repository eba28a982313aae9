"""Every frr.conf through FRR's own parser: unknown words, AS numbers and prefixes out of range.

So does what SONiC's bgpcfgd makes of the tables of a few switches of each tier, where routing is left to it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from fabricgen.nos.sonic.routing_daemon import make_frr_text
from tests.parity.switches import switches_of
from tests.render.rendered import (
    BFD,
    DUAL,
    EVPN_PAIRS_SONIC,
    EXAMPLES,
    LEAKS,
    ONE_NUMBER,
    PER_RACK,
    RAILS,
    UNNUMBERED,
    V6,
    files_of,
)

pytestmark = pytest.mark.daemon

CASES = [(name, ()) for name in EXAMPLES] + [
    ("leaf-spine", UNNUMBERED),
    ("leaf-spine", BFD),
    ("leaf-spine", PER_RACK),
    ("leaf-spine", ONE_NUMBER),
    ("collapsed-pair", ("routing.asn={plan: per-switch}",)),
    ("leaf-spine", V6),
    ("leaf-spine", V6 + UNNUMBERED),
    ("leaf-spine", V6 + RAILS),
    ("leaf-spine", V6 + PER_RACK),
    ("leaf-spine", DUAL + BFD),
    ("leaf-spine", DUAL + UNNUMBERED),
    ("leaf-spine", DUAL + ONE_NUMBER),
    ("leaf-spine", DUAL + LEAKS),
    ("full-cluster", V6),
    ("full-cluster", DUAL),
    ("superpod-b300", DUAL),
    ("evpn-guests", EVPN_PAIRS_SONIC + DUAL),
]


def check(vtysh: str, file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [vtysh, "-C", "--inputfile", str(file)], check=False, capture_output=True, text=True, timeout=300
    )


every_case = pytest.mark.parametrize(("name", "sets"), CASES, ids=lambda v: "+".join(v) if isinstance(v, tuple) else v)


def refused(vtysh: str, file: Path, texts: Iterable[str]) -> str:
    """What FRR says of the first configuration that it does not take; "" where it takes all.

    They are read one after the other by one process, since the words of a file do not depend on those before it.
    """
    distinct = sorted(set(texts))
    file.write_text("\n".join(distinct))
    if not distinct or not check(vtysh, file).returncode:
        return ""
    for text in distinct:
        file.write_text(text)
        done = check(vtysh, file)
        if done.returncode:
            return f"{done.stdout}{done.stderr}{text}"
    return "all together, though each is taken"


@every_case
def test_frr_reads_every_file(vtysh: str, tmp_path: Path, name: str, sets: tuple[str, ...]) -> None:
    texts = (text for path, text in files_of(name, *sets).items() if path.endswith("/frr.conf"))
    assert not refused(vtysh, tmp_path / "frr.conf", texts)


@every_case
def test_frr_reads_what_bgpcfgd_writes(vtysh: str, tmp_path: Path, name: str, sets: tuple[str, ...]) -> None:
    texts = (
        make_frr_text(json.loads(files["config_db.json"]))
        for switch, files in switches_of(name, sets)
        if switch.tier.nos == "sonic" and "frr.conf" not in files
    )
    assert not refused(vtysh, tmp_path / "frr.conf", texts)


def test_frr_names_the_file_that_it_refuses(vtysh: str, tmp_path: Path) -> None:
    good = "router bgp 65000\n neighbor 10.0.0.1 remote-as 65001\nexit\n"
    bad = "router bgp 65000\n neighbor 10.0.0.1 remote-as 4294967296\nexit\n"
    assert not refused(vtysh, tmp_path / "frr.conf", [good])
    for texts in ([bad, good], [good, bad]):
        assert refused(vtysh, tmp_path / "frr.conf", texts).endswith(bad)


def test_frr_refuses_a_broken_file(vtysh: str, tmp_path: Path) -> None:
    file = tmp_path / "frr.conf"
    file.write_text("router bgp 4294967296\n")
    assert check(vtysh, file).returncode != 0
