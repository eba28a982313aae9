"""What FRR runs where bgpcfgd makes it of config_db.json: its sessions and routes are those of the planned tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import Severity
from fabricgen.nos.sonic.routing_daemon import make_frr_text
from tests.verify.drift.test_drift import checked, files_of

PEER = "10.64.0.0"
HEAD = "Building configuration...\n\nCurrent configuration:\n!\nfrr version 8.5.4\nfrr defaults traditional\n!\n"
IMAGES_OWN = (
    " bgp suppress-fib-pending\n bgp graceful-restart\n",
    "ip nht resolve-via-default\n",
)
"""Lines that images have in BGP, and beside it, whatever the tables say."""


def as_vtysh_shows(config_db: str) -> str:
    inside, beside = IMAGES_OWN
    frr = make_frr_text(json.loads(config_db)).replace(
        " neighbor PEER_V4 peer-group\n", f"{inside} neighbor PEER_V4 peer-group\n", 1
    )
    return HEAD + beside + frr.replace("address-family ipv4\n", "address-family ipv4 unicast\n")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", None),
        (
            f" neighbor {PEER} remote-as",
            f" neighbor {PEER} shutdown\n neighbor {PEER} remote-as",
            f"neighbor {PEER} / shutdown",
        ),
        (f" neighbor {PEER} remote-as 42", f" neighbor {PEER} remote-as 43", f"neighbor {PEER} / remote-as"),
        (f"  neighbor {PEER} activate\n", "", f"neighbor {PEER} / activate"),
        (f" neighbor {PEER} timers 3 9\n", f" neighbor {PEER} timers 60 180\n", f"neighbor {PEER} / timers"),
        (
            " neighbor PEER_V4 peer-group\n",
            " neighbor PEER_V4 peer-group\n neighbor PEER_V4 shutdown\n",
            "PEER_V4 / shutdown",
        ),
        (" no bgp default", " bgp graceful-shutdown\n no bgp default", "bgp graceful-shutdown"),
        (HEAD, f"{HEAD}interface Ethernet0\n shutdown\nexit\n", "interface Ethernet0 / shutdown"),
        (HEAD, f"{HEAD}ip route 10.128.0.0/9 10.64.0.9\n", "ip route 10.128.0.0/9 10.64.0.9"),
    ],
)
def test_sessions_are_those_of_the_tables(tmp_path: Path, old: str, new: str, told: str | None) -> None:
    files = files_of("sonic")
    assert "frr.conf" not in files
    text = as_vtysh_shows(files["config_db.json"])
    assert old in text
    drift = checked(tmp_path, "sonic", {**files, "frr.conf": text.replace(old, new, 1) if old else text})
    errors = [f.subject for f in drift.checked[0].findings if f.severity == Severity.ERROR]
    assert len(errors) == (told is not None)
    assert all(told in subject for subject in errors if told)
