"""A secret that somebody wrote into a blueprint, in a wrong form or under a misspelt key, is in no report of lint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.lint.report import report_formats
from tests.conftest import BLUEPRINTS

SECRET = "hunter2hunter2"
PLACES = {
    "a password": f"management: {{users: {{admin: {{password: {SECRET}}}}}}}",
    "a misspelt key": f"management: {{users: {{admin: {{pasword: {SECRET}}}}}}}",
    "a misspelt key elsewhere": f"managment: {{aaa: {{servers: 10.0.0.1, key: '{SECRET}'}}}}",
    "a value in place of a mapping": f"management: {{snmp: {{users: {{watcher: {SECRET}}}}}}}",
    "beside another fault": f"management: {{snmp: {{usrs: {{watcher: {{auth: {SECRET}, privacy: {SECRET}}}}}}}}}",
    "a number": "management: {aaa: {servers: 10.0.0.1, key: 22222222222222}}",
    "a passphrase": f'description: [{{passphrase: "{SECRET}"}}]',
    "under the wrong scheme": f"management: {{aaa: {{servers: 10.0.0.1, key: 'env:{SECRET}'}}}}",
}


@pytest.mark.parametrize("place", PLACES)
def test_no_report_has_it(place: str, tmp_path: Path, fabricgen: Any) -> None:
    file = tmp_path / "own.yaml"
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("description:")]
    file.write_text("\n".join([*lines, PLACES[place], ""]), encoding="utf-8")
    for form in report_formats():
        ran = fabricgen("lint", file, "--format", form)
        assert (ran.code, SECRET in ran.out + ran.err, "22222222222222" in ran.out + ran.err) == (2, False, False), form


def test_references_and_all_else_of_a_line_are_shown(tmp_path: Path, fabricgen: Any) -> None:
    file = tmp_path / "own.yaml"
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    file.write_text(text + f"colour: {{password: {SECRET}, key: 'env:FABRICGEN_KEY', size: 7}}\n", encoding="utf-8")
    out = fabricgen("lint", file).out
    assert "| colour: {password: **************, key: 'env:FABRICGEN_KEY', size: 7}\n" in out
