"""The law of drift for config_db.json: every row and field taken away, every number and word changed, is told.

Judged row by row: what a row states does not depend on others, as the first test holds. Rows of the examples that
differ in numbers alone are judged once. The same tables in other spellings, and among what an image ships, have no
error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fabricgen.nos.sonic.statements import default_of, read_statements
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.running.differences import Verdicts, load_rules
from fabricgen.verify.drift.checking import check_running
from fabricgen.verify.drift.planned import RenderedConfigs
from tests.laws import law_cases, take_tenth

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(file.stem for file in (ROOT / "blueprints").glob("*.yaml") if not file.stem.endswith(".lock"))
LARGEST = {"colossus-200k"}
"""Examples of which a switch of each tier says nothing that those of others do not."""

Tables = dict[str, dict[str, dict[str, Any]]]


def planned_of(example: str) -> RenderedConfigs:
    return RenderedConfigs(compile_cluster(compile_design(str(ROOT / "blueprints" / f"{example}.yaml"), ()), None))


@cache
def tables_of(example: str) -> dict[str, Tables]:
    """config_db.json of one switch of each name but for its numbers."""
    planned = planned_of(example)
    first = {re.sub(r"\d+", "#", name): name for name in reversed(planned.list_devices())}
    files = planned.read(sorted(first.values()))
    return {name: json.loads(own["config_db.json"]) for name, own in files if "config_db.json" in own}


@cache
def rows_of(example: str) -> dict[tuple[object, ...], tuple[str, str, dict[str, Any]]]:
    """Rows by their shape: table, key and fields without numbers."""
    rows: dict[tuple[object, ...], tuple[str, str, dict[str, Any]]] = {}
    for tables in tables_of(example).values():
        for table, own in tables.items():
            for key, row in own.items():
                rows.setdefault(
                    (table, re.sub(r"\d+", "#", key), re.sub(r"\d+", "#", json.dumps(row))), (table, key, row)
                )
    return rows


def judged(running: Tables, planned: Tables) -> Verdicts:
    found, wanted = (read_statements({"config_db.json": json.dumps(tables)}) for tables in (running, planned))
    return load_rules("sonic").judge(found, wanted)


def changes(table: str, key: str, row: dict[str, Any]) -> Iterator[tuple[str, Tables]]:
    """The row without each field, and with each number and word of key and values changed."""
    for other in words_changed(key):
        yield key, {table: {other: row}}
    for field, left in without_each_field(row):
        yield field, {table: {key: left}}
    for field, value in row.items():
        texts = value if isinstance(value, list) else [str(value)]
        for at, text in enumerate(texts):
            for other in words_changed(text):
                new = [*texts[:at], other, *texts[at + 1 :]]
                yield field, {table: {key: {**row, field: new if isinstance(value, list) else other}}}


def without_each_field(row: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A row without each field, by its name, and without each of several values that a field has."""
    for field, value in row.items():
        yield field, {name: own for name, own in row.items() if name != field}
        for at in range(len(value)) if isinstance(value, list) and len(value) > 1 else ():
            yield field, {**row, field: [*value[:at], *value[at + 1 :]]}


def words_changed(text: str) -> Iterator[str]:
    """A text with each of its numbers, and each of its words, changed in turn."""
    for match in re.finditer(r"\d+|[A-Za-z]+", text):
        other = str(int(match[0]) + 1) if match[0].isdigit() else f"{match[0]}x"
        yield text[: match.start()] + other + text[match.end() :]


@pytest.mark.tenth
@pytest.mark.law
@pytest.mark.parametrize("example", law_cases("drift of SONiC", EXAMPLES))
def test_every_row_and_field_taken_away_or_changed_is_told(example: str) -> None:
    for table, key, row in rows_of(example).values():
        planned = {table: {key: row}}
        assert judged({table: {}}, planned).errors or table == "VERSIONS", (table, key)
        for field, running in changes(table, key, row):
            verdicts = judged(running, planned)
            unsaid = field not in running[table].get(key, {}) and is_default(table, key, field, row)
            told = verdicts.errors or verdicts.descriptions or unsaid
            assert told, (table, key, field, running)
            assert not verdicts.foreign


def is_default(table: str, key: str, field: str, row: dict[str, Any]) -> bool:
    """Whether a field of a row says what SONiC takes without it."""
    stated = read_statements({"config_db.json": json.dumps({table: {key: {field: row.get(field)}}})})
    return any(value == default_of(path) for path, value in stated.items())


def respelled(tables: Tables) -> Tables:
    """The same tables in another order and spelling: numbers as JSON has them, lists as text, truth in capitals.

    Of static routes bgpcfgd takes `true` alone (managers_static_rt.py).
    """

    def spell(table: str, value: Any) -> Any:
        if isinstance(value, list):
            return ",".join(value)
        if table != "STATIC_ROUTE" and str(value) in ("true", "false"):
            return str(value).title()
        return int(value) if re.fullmatch(r"0|[1-9]\d{0,8}", str(value)) else value

    return {
        table: {
            key: {name: spell(table, value) for name, value in reversed(row.items())}
            for key, row in reversed(rows.items())
        }
        for table, rows in reversed(tables.items())
    }


SHIPPED: Tables = {
    "BGP_DEVICE_GLOBAL": {
        "STATE": {"tsa_enabled": "false", "wcmp_enabled": "false", "idf_isolation_state": "unisolated"}
    },
    "CRM": {
        "Config": {"polling_interval": "300", "acl_table_threshold_type": "percentage", "fdb_entry_low_threshold": "70"}
    },
    "FLEX_COUNTER_TABLE": {
        "ACL": {"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "10000"},
        "PFCWD": {"FLEX_COUNTER_STATUS": "enable"},
    },
    "FEATURE": {
        name: {
            "state": state,
            "delayed": "False",
            "has_global_scope": "True",
            "has_per_asic_scope": "False",
            "auto_restart": "enabled",
            "support_syslog_rate_limit": "true",
            "set_owner": "local",
            "high_mem_alert": "disabled",
        }
        for name, state in {
            "bgp": "enabled",
            "swss": "enabled",
            "nat": "disabled",
            "database": "always_enabled",
        }.items()
    },
    "AUTO_TECHSUPPORT": {"GLOBAL": {"state": "enabled", "rate_limit_interval": "180", "since": "2 days ago"}},
    "AUTO_TECHSUPPORT_FEATURE": {"bgp": {"state": "enabled", "available_mem_threshold": "10.0"}},
    "SYSLOG_CONFIG": {"GLOBAL": {"rate_limit_interval": "0", "rate_limit_burst": "0"}},
    "SYSLOG_CONFIG_FEATURE": {"bgp": {"rate_limit_interval": "300", "rate_limit_burst": "20000"}},
    "PASSW_HARDENING": {"POLICIES": {"state": "disabled", "len_min": "8", "digits_class": "true"}},
    "BANNER_MESSAGE": {"global": {"state": "disabled", "login": "Debian GNU/Linux 11", "logout": ""}},
    "SYSTEM_DEFAULTS": {"mux_tunnel_egress_acl": {"status": "disabled"}},
    "KDUMP": {"config": {"enabled": "false", "memory": "0M-2G:256M,2G-4G:320M", "num_dumps": "3"}},
    "NTP": {"global": {"authentication": "disabled", "src_intf": "eth0", "admin_state": "enabled", "vrf": "default"}},
}
"""Of each table that an image ships, rows with fields of every kind (files/build_templates/init_cfg.json.j2)."""


@pytest.mark.law
@pytest.mark.parametrize("example", law_cases("spellings of SONiC", EXAMPLES))
@pytest.mark.slow
def test_other_spellings_and_what_an_image_ships_are_no_error(example: str) -> None:
    for tables in tables_of(example).values():
        shipped = {
            table: {key: {**SHIPPED.get(table, {}).get(key, {}), **tables.get(table, {}).get(key, {})} for key in keys}
            for table in {*tables, *SHIPPED}
            if (keys := {*SHIPPED.get(table, {}), *tables.get(table, {})})
        }
        for running in (respelled(tables), shipped, without_defaults(tables)):
            verdicts = judged(running, tables)
            assert [*verdicts.errors, *verdicts.foreign, *verdicts.descriptions] == []


def without_defaults(tables: Tables) -> Tables:
    """Tables without fields that say what SONiC takes without them."""
    return {
        table: {
            key: {field: value for field, value in row.items() if not is_default(table, key, field, row)}
            for key, row in rows.items()
        }
        for table, rows in tables.items()
    }


@pytest.mark.law
@pytest.mark.parametrize(
    "example", law_cases("drift of SONiC by the command", [e for e in EXAMPLES if e not in LARGEST])
)
@pytest.mark.slow
def test_the_command_tells_a_change_at_its_path(example: str, tmp_path: Path) -> None:
    """A few fields of a switch changed one at a time: the finding has the path, and no other error is told."""
    planned = planned_of(example)
    for name, tables in sorted(tables_of(example).items())[:1]:
        places = [(t, k, f) for t, rows in tables.items() for k, row in rows.items() for f in row]
        for table, key, field in take_tenth("fields", places)[:: max(1, len(places) // 40)]:
            if field == "description" or table in ("VERSIONS", "DEVICE_METADATA"):
                continue
            changed = {**tables, table: {**tables[table], key: {**tables[table][key], field: "odd"}}}
            (tmp_path / name).mkdir(exist_ok=True)
            for file, text in next(files for _, files in planned.read([name])).items():
                (tmp_path / name / file).write_text(json.dumps(changed) if file == "config_db.json" else text)
            (checked,) = check_running(str(tmp_path), planned, 1).checked
            paths = {finding.path for finding in checked.findings if finding.severity.label == "error"}
            assert paths, (table, key, field)
            assert all(path[0] == table and path[-1] in (field, key) for path in paths if path), paths
