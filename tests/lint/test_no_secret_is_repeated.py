"""A secret that somebody wrote into a blueprint, in a wrong form or under a misspelt key, is in no report of lint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.lint.report import REPORTS
from fabricgen.reports.formats import list_formats
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
    "as an alias": f"management:\n  users:\n    admin:\n      password: *{SECRET}",
    "as a tag": f"management:\n  aaa:\n    servers: 10.0.0.1\n    key: !{SECRET}",
    "as an anchor, in a file that is not usable": f"management: {{aaa: {{servers: 10.0.0.300, key: &{SECRET} x}}}}",
    "behind a quoted word": f"management:\n  users:\n    admin:\n      password: 'a'{SECRET}",
    "in quotes that do not end": f'management:\n  users:\n    admin:\n      password: "{SECRET}\\',
    "behind a comma": f"management:\n  users:\n    admin:\n      pasword: some,{SECRET}",
    "behind a hash": f"management:\n  users:\n    admin:\n      pasword: 'some#{SECRET}'",
    "in a URL": f"management: {{ntp: 'http://admin:{SECRET}@10.0.0.1/'}}",
    "in a snippet": f"snippets: {{a: {{nos: sonic, text: 'neighbor SPINE password {SECRET}', bogus: 1}}}}",
    "in a snippet, of its own kind": f"snippets: {{a: {{nos: eos, text: 'username a secret 0 {SECRET}', bogus: 1}}}}",
    "under the wrong scheme": f"management: {{aaa: {{servers: 10.0.0.1, key: 'env:{SECRET}'}}}}",
}


@pytest.mark.tenth
@pytest.mark.parametrize("place", PLACES)
def test_no_report_has_it(place: str, tmp_path: Path, fabricgen: Any) -> None:
    file = tmp_path / "own.yaml"
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("description:")]
    lines = lines[: next(row for row, line in enumerate(lines) if line.startswith("management:"))]
    file.write_text("\n".join([*lines, PLACES[place], ""]), encoding="utf-8")
    for form in list_formats(REPORTS):
        ran = fabricgen("lint", file, "--format", form)
        assert (ran.code, SECRET in ran.out + ran.err, "22222222222222" in ran.out + ran.err) == (2, False, False), form


def test_references_and_all_else_of_a_line_are_shown(tmp_path: Path, fabricgen: Any) -> None:
    file = tmp_path / "own.yaml"
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    file.write_text(text + f"colour: {{password: {SECRET}, key: 'env:FABRICGEN_KEY', size: 7}}\n", encoding="utf-8")
    out = fabricgen("lint", file).out
    assert "| colour: {password: **************, key: 'env:FABRICGEN_KEY', size: 7}\n" in out


def test_no_message_about_a_value_on_the_command_line_has_it(fabricgen: Any) -> None:
    small = BLUEPRINTS / "leaf-spine.yaml"
    for value in (f"*{SECRET}", f"!{SECRET}", f"[{SECRET}", SECRET):
        ran = fabricgen("lint", small, "--set", f"management.users.admin.password={value}")
        assert (ran.code, SECRET in ran.out + ran.err) == (2, False), value


def test_an_anchor_that_may_be_a_password_is_not_named(tmp_path: Path, fabricgen: Any) -> None:
    file = tmp_path / "own.yaml"
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8").partition("\nmanagement:")[0]
    more = f"management:\n  aaa:\n    servers: 10.16.0.2\n    key: &{SECRET}\nx-rails: &rails 8\n"
    file.write_text(f"{text}\n{more}", encoding="utf-8")
    out = fabricgen("lint", file).out
    assert "no alias uses the anchor &***" in out
    assert "no alias uses the anchor &rails" in out
    assert SECRET not in out
