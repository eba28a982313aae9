"""What `plan` prints of configurations has no secret in it, in whatever form the lines of a user's snippet give it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.render.secrets import mask_secrets
from tests.conftest import BLUEPRINTS

LINES = (
    "username x secret 0 HIDDEN",
    "username x privilege 15 secret HIDDEN",
    "username x secret sha512 HIDDEN",
    "enable secret 5 HIDDEN",
    "enable password 7 HIDDEN",
    "enable password HIDDEN",
    "snmp-server community HIDDEN ro",
    "tacacs-server key 7 HIDDEN",
    "radius-server host 10.0.0.1 key HIDDEN",
    "   neighbor 10.0.0.1 password 7 HIDDEN",
    " neighbor 10.0.0.1 password HIDDEN",
    "password 8 HIDDEN",
    '"passkey": "HIDDEN"',
    '"auth_password": "HIDDEN"',
    '"SNMP_COMMUNITY": {\n  "HIDDEN": {"TYPE": "RO"}}',
    "      password: HIDDEN",
    "nv set system aaa user x password HIDDEN",
    "      readonly-community:\n        HIDDEN:",
)


@pytest.mark.parametrize("line", LINES)
def test_the_secret_of_a_line_is_masked_and_nothing_else(line: str) -> None:
    text = f"interface Ethernet1\n{line}\n   mtu 9214\n"
    assert mask_secrets(text.encode()).decode() == text.replace("HIDDEN", "<secret>")


@pytest.mark.parametrize("line", ["   no shutdown", "   set community 65000:1", "description a secretary", "aaa root"])
def test_lines_without_secrets_stay(line: str) -> None:
    assert mask_secrets(line.encode()).decode() == line


def test_a_secret_in_a_snippet_is_told_without_its_line(tmp_path: Path, fabricgen: Any) -> None:
    file = tmp_path / "own.yaml"
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8").replace("sn4700", "7060dx5-64s")
    own = "snippets: {own: {nos: eos, text: 'username x secret 0 hunter2hunter2'}}"
    file.write_text(f"{text}{own}\n", encoding="utf-8")
    ran = fabricgen("lint", file, "--select", "FG740")
    assert "[FG740]: snippet 'own' holds a secret in clear text" in ran.out
    assert "hunter2" not in ran.out
