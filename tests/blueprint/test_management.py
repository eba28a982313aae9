"""The language of management: what no configuration could hold is refused where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

_EXAMPLE = Path(__file__).resolve().parents[2] / "blueprints" / "leaf-spine.yaml"
LEAF_SPINE = _EXAMPLE.read_text(encoding="utf-8").partition("management:")[0]
"""The example without its own management."""


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (r'management: {ntp: ["fe80::1%\": {}\n  \"evil"]}', "is neither an IP address nor a host name"),
        (r'management: {syslog: {servers: "fe80::1%eth0"}}', "is neither an IP address nor a host name"),
        (r'management: {dns: {servers: ["fe80::1%eth0\nx"]}}', "is not an IP address"),
        (r'management: {aaa: {servers: "fe80::1%eth0"}}', "is not an IP address"),
        ("management: {ntp: [10.0.0.1, 10.0.0.1]}", "10.0.0.1 is there twice"),
        ('management: {ntp: [10.0.0.1, "::ffff:10.0.0.1"]}', "10.0.0.1 is there twice"),
        ('management: {dns: {servers: ["fd00::1", "FD00::0:1"]}}', "fd00::1 is there twice"),
        ("management: {syslog: {servers: [logs, LOGS]}}", "logs is there twice"),
        ("qos: {ecn_max_kb: 1}", "ecn_max_kb"),
        ("qos: {ecn_min_kb: 999999}", "ecn_min_kb"),
        ("qos: {ecn_max_kb: 1000000}", "ecn_max_kb"),
    ],
)
def test_what_no_configuration_could_hold_is_refused(tmp_path: Path, fabricgen, stated: str, said: str) -> None:
    (tmp_path / "cluster.yaml").write_text(f"{LEAF_SPINE}{stated}\n")
    ran = fabricgen("lint", tmp_path / "cluster.yaml")
    assert ran.code == 2
    assert "error[FG010]" in ran.out
    assert said in ran.out
