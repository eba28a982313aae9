"""Tables of SONiC as templates: one file stands for all that have no text of their own, and a user replaces any."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.discovery import find_resource_dir
from fabricgen.nos.sonic.writer import list_templates
from fabricgen.render import engine
from tests.render.rendered import BRIDGED, MANAGED, cluster_of, files_of
from tests.render.test_users_hand import LEAF, own_template

TABLES = find_resource_dir("templates") / "sonic" / "tables"

FILE = f"configs/{LEAF}/config_db.json"


def test_only_tables_with_a_text_of_their_own_have_a_file() -> None:
    like_all = (TABLES / "NAME.j2").read_text().partition("#}")[2].split()
    for file in sorted(TABLES.glob("*.j2")):
        words = file.read_text().replace(file.stem, "NAME").split()
        assert file.name == "NAME.j2" or words[-len(like_all) :] != like_all, f"{file.name}: NAME.j2 says all of it"
        assert file.name == "NAME.j2" or f"tables/{file.name}" in list(list_templates())


@pytest.mark.parametrize(("example", "sets"), [("leaf-spine", (*BRIDGED, *MANAGED)), ("evpn-guests", ())])
def test_every_table_that_is_written_is_named(example: str, sets: tuple[str, ...]) -> None:
    files = files_of(example, *sets)
    written = {name for path, text in files.items() if path.endswith("config_db.json") for name in json.loads(text)}
    assert {"PORT", "VLAN"} < written
    assert {f"tables/{name}.j2" for name in written} <= set(list_templates())


def rendered_with(tmp_path: Path, name: str, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A leaf's tables without and with a template of the user's."""
    options, cluster = own_template(tmp_path, name, text), cluster_of("leaf-spine")
    plain, own = (dict(engine.render_configs(cluster, options=given))[FILE] for given in (None, options))
    return json.loads(plain), json.loads(own)


def test_a_table_without_a_file_is_replaced(tmp_path: Path) -> None:
    text = '    "INTERFACE": {"rows": "{{ INTERFACE | length }}"}{{ "," if not last }}\n'
    plain, own = rendered_with(tmp_path, "sonic/tables/INTERFACE.j2", text)
    assert own == {**plain, "INTERFACE": {"rows": f"{len(plain['INTERFACE'])}"}}


def test_a_table_without_a_file_is_extended(tmp_path: Path) -> None:
    text = (
        '{% extends "builtin/sonic/tables/DEVICE_NEIGHBOR.j2" %}\n{% block DEVICE_NEIGHBOR %}\n'
        '{{ table("DEVICE_NEIGHBOR", DEVICE_NEIGHBOR, last, more_rows={"eth0": {"name": "console", "port": 7}}) }}\n'
        "{% endblock %}\n"
    )
    plain, own = rendered_with(tmp_path, "sonic/tables/DEVICE_NEIGHBOR.j2", text)
    rows = {**plain["DEVICE_NEIGHBOR"], "eth0": {"name": "console", "port": "7"}}
    assert own == {**plain, "DEVICE_NEIGHBOR": rows}


def test_what_stands_for_all_tables_is_replaced(tmp_path: Path) -> None:
    """By the user's for tables without a file, and for no other."""
    plain, own = rendered_with(tmp_path, "sonic/tables/NAME.j2", '    "NAME": {}{{ "," if not last }}\n')
    files = {file.stem for file in TABLES.glob("*.j2")}
    assert own == {name: rows if name in files else {} for name, rows in plain.items()}
    assert "DEVICE_METADATA" in files
    assert "PORT" not in files


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("sonic/tables/INTERFACES.j2", "did you mean 'sonic/tables/INTERFACE.j2'"),
        ("sonic/tables/CRM.j2", ""),
        ("sonic/VLAN.j2", "did you mean 'sonic/tables/VLAN.j2'"),
    ],
)
def test_a_table_that_is_not_written_replaces_nothing(tmp_path: Path, name: str, hint: str) -> None:
    options = own_template(tmp_path, name, '{% extends "builtin/sonic/tables/VLAN.j2" %}')
    with pytest.raises(InputError) as caught:
        next(engine.render_configs(cluster_of("leaf-spine"), options=options))
    (found,) = caught.value.diagnostics
    assert found.code == "FG033"
    assert "replaces no template" in found.message
    assert hint in found.hint


def test_a_template_of_a_table_that_is_none_says_so(tmp_path: Path) -> None:
    options = own_template(tmp_path, "sonic/tables/PORT.j2", '{% extends "builtin/sonic/tables/PROT.j2" %}')
    with pytest.raises(InputError, match="'PROT' is undefined"):
        list(engine.render_configs(cluster_of("leaf-spine"), options=options))
    options = own_template(tmp_path, "sonic/tables/PORT.j2", '{% include "sonic/table/PORT.j2" %}')
    with pytest.raises(InputError, match=r"TemplateNotFound: sonic/table/PORT.j2"):
        list(engine.render_configs(cluster_of("leaf-spine"), options=options))
