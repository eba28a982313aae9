"""SONiC's config_db.json as statements, table, row and field, and FRR's beside it below `frr.conf`.

A table is a map of rows, a row a map of fields (sonic-buildimage, src/sonic-yang-models/doc/Configuration.md). What
sonic-cfggen and the tools of SONiC write in several ways is one here: numbers and truth values as SONiC's YANG models
type them, a list is the text of its items with commas
(ConfigDBConnector keeps it so in Redis, under `FIELD@`), a row without fields may have `NULL` for one, references
were once in brackets (`[BUFFER_PROFILE|NAME]`), and a key of queues or priority groups may stand for a run of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv6Interface
from typing import Any

from fabricgen.catalog.sonic_schema import FieldFacts, find_field_facts
from fabricgen.nos.frr import statements as frr
from fabricgen.running.statements import UNREADABLE, Path, Statements

CONFIG = "config_db.json"

FRR = "frr.conf"
"""The first step of the paths of FRR's statements."""

PARTS = {FRR: "frr"}

FILES = (CONFIG, FRR)

_RUNS = frozenset({"BUFFER_PG", "BUFFER_QUEUE", "QUEUE"})
"""Tables whose keys end with a number or a run of numbers: `Ethernet0|3-4`; ports may be several, with commas."""

_UNORDERED = frozenset(
    {
        "dhcp_servers",
        "dhcpv4_servers",
        "dhcpv6_servers",
        "ecmp_hash",
        "lag_hash",
        "pfc_enable",
        "pfcwd_sw_enable",
        "ports",
        "profile_list",
        "services",
    }
)
"""Lists whose order has no effect; that of a port's lanes, and of a route's next hops and interfaces, has one."""

_AS_NUMBERS = frozenset({"asn", "bgp_asn", "local_asn"})

MOST_NUMBERS = 64
"""More than the queues of a port: longer runs are not expanded."""

MOST_STATEMENTS = 1_000_000
"""Many times what a switch of 1,024 ports has; keys that stand for several rows may say so without end."""


def read_statements(files: Mapping[str, str]) -> Statements:
    """Return the statements of config_db.json and frr.conf, whichever of them is among the files; raises nothing."""
    statements: Statements = {}
    if CONFIG in files:
        try:
            for path, value in _read_tables(json.loads(files[CONFIG])):
                statements[path] = value
                if len(statements) > MOST_STATEMENTS:
                    statements[(CONFIG, UNREADABLE)] = f"more than {MOST_STATEMENTS:,} fields"
                    break
        except (ValueError, RecursionError) as error:
            statements[(CONFIG, UNREADABLE)] = f"no JSON: {type(error).__name__}"
    if FRR in files:
        statements |= {(FRR, *path): value for path, value in frr.read_statements({FRR: files[FRR]}).items()}
    return statements


def files_of(statements: Statements) -> dict[str, str]:
    """Return the files with these statements; frr.conf only if a statement is FRR's."""
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    of_frr: Statements = {}
    for path, value in statements.items():
        if path[0] == FRR:
            of_frr[path[1:]] = value
        elif path[-1] != UNREADABLE:
            row = tables.setdefault(path[0], {}).setdefault(path[1], {}) if len(path) > 1 else {}
            if len(path) > 2:
                facts = find_field_facts(*path[:3])
                # a list is one in JSON, unless its items are separated by a sign of its own
                row[path[2]] = value.split(",") if facts and facts.is_list and not facts.separator else value
    files = {CONFIG: json.dumps(tables)}
    return files | frr.files_of(of_frr) if of_frr else files


_READ_OTHERWISE = frozenset({("STATIC_ROUTE", "advertise"), ("NTP_SERVER", "iburst")})
"""Fields whose absence a daemon reads otherwise than the model says: bgpcfgd announces the route
(managers_static_rt.py), chrony sends no burst (files/image_config/chrony/chrony.conf.j2)."""


def default_of(path: Path) -> str | None:
    """Return the value that SONiC takes for a field that is not there, by its YANG models; None without a default.

    Containers have defaults of the image (init_cfg.json.j2), not of the models; of buffers, orchagent sets what is
    stated and leaves the rest as the platform has it (sonic-swss, orchagent/bufferorch.cpp).
    """
    if len(path) != 3 or path[0] == "FEATURE" or path[0].startswith("BUFFER_") or path[::2] in _READ_OTHERWISE:
        return None
    table, key, field = path
    facts = find_field_facts(table, key, field)
    if facts is None or facts.default is None:
        return None
    return _normalize_value(field, list(facts.default) if isinstance(facts.default, tuple) else facts.default, facts)


def _read_tables(tables: Any) -> Iterator[tuple[Path, str]]:
    """Yield (path, value) of all tables, rows and fields.

    A table that is no map of rows, or a file that is no map of tables, is one statement, which says that it cannot be
    read.
    """
    if not isinstance(tables, dict):
        yield (CONFIG, UNREADABLE), "no map of tables"
        return
    for table, rows in tables.items():
        if not isinstance(rows, dict):
            yield (table, UNREADABLE), "no map of rows"
            continue
        for key, row in rows.items():
            # `Ethernet0|3-4` is two rows with the same fields
            for name in _normalize_key(table, key):
                yield (table, name), ""
                yield from _read_fields(table, name, row)


def _read_fields(table: str, key: str, row: Any) -> Iterator[tuple[Path, str]]:
    """Yield (path, value) of the fields of a row.

    In a database dump the name of a list ends in `@`, and `NULL` stands for a row without fields.
    """
    if not isinstance(row, dict):
        yield (table, key, UNREADABLE), "no map of fields"
        return
    for name, value in row.items():
        field = name.removesuffix("@")
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict | list) for v in value)):
            yield (table, key, field, UNREADABLE), "neither text nor a list of texts"
        elif field != "NULL":
            yield (table, key, field), _normalize_value(field, value, find_field_facts(table, key, field))


def _normalize_value(field: str, value: Any, facts: FieldFacts | None) -> str:
    """Return a value in one spelling; text that is none of SONiC's own words stays as it is."""
    if isinstance(value, list):
        value = ((facts and facts.separator) or ",").join(map(_write_text, value))
    text = _write_text(value)
    if field in _UNORDERED:
        return ",".join(sorted(filter(None, text.split(",")), key=_make_sort_key))
    # 65000.1 is the asdot spelling of RFC 5396
    if field in _AS_NUMBERS and (dotted := re.fullmatch(r"(\d{1,5})\.(\d{1,5})", text)):
        return str(int(dotted[1]) << 16 | int(dotted[2]))
    if facts is not None and facts.kind != "text":
        return _normalize_typed(text, facts.kind)
    if reference := re.fullmatch(r"\[[A-Z_]+\|([^\[\]]+)\]", text):
        return reference[1]
    if re.fullmatch(r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}", text):
        return text.lower().replace("-", ":")
    return _normalize_address(text)


def _normalize_typed(text: str, kind: str) -> str:
    """Return a number without leading zeros, or a truth value in small letters (boolean_type of sonic-types.yang)."""
    if kind == "number" and (number := re.fullmatch(r"(-?)0*(\d+)", text)):
        return number[1] + number[2]
    return text.lower() if kind == "boolean" else text


def _write_text(value: Any) -> str:
    """Return a JSON value as text."""
    return "" if value is None else json.dumps(value) if isinstance(value, bool) else str(value)


def _make_sort_key(text: str) -> tuple[list[int], str]:
    """Return a key that sorts names by the numbers in them: `Ethernet8` before `Ethernet16`."""
    return [int(digits) for digits in re.findall(r"\d{1,9}", text)], text


def _normalize_address(text: str) -> str:
    """Return IPv6 in its shortest form (RFC 5952), and any other text as it is."""
    if text.count(":") < 2:
        return text
    try:
        address = IPv6Interface(text)
    except ValueError:
        return text
    return address.with_prefixlen if "/" in text else str(address.ip)


def _normalize_key(table: str, key: str) -> list[str]:
    """Return the keys of a table that one key stands for, in one spelling: one for each port and queue of
    `PORT,PORT|0-7`.

    A range of more than MOST_NUMBERS numbers stays as it is.
    """
    steps = [_normalize_address(step) for step in key.split("|")]
    if table not in _RUNS or len(steps) != 2:
        return ["|".join(steps)]
    numbers = [steps[1]]
    if number_range := re.fullmatch(r"(\d{1,3})-(\d{1,3})", steps[1]):
        lowest, highest = int(number_range[1]), int(number_range[2])
        if lowest <= highest < lowest + MOST_NUMBERS:
            numbers = list(map(str, range(lowest, highest + 1)))
    return [f"{port}|{number}" for port in steps[0].split(",") for number in numbers]
