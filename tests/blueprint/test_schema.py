"""The JSON Schemas describe all there is, and say of a blueprint what the loader says of its structure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.schema import SCHEMAS
from fabricgen.blueprint.source import read_source
from fabricgen.blueprint.structure import check_structure, load_schema_validator
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.lint.examples import BASE
from fabricgen.lint.fault import load_faults
from fabricgen.lint.rule import load_all_rules
from fabricgen.yaml.located import read_located
from tests.conftest import BLUEPRINTS, EXAMPLES, Ran

ERRORS = Path(__file__).resolve().parent.parent / "errors"


def schema_faults(data: Any, name: str = "blueprint") -> list[str]:
    return [f"{'.'.join(map(str, e.path))}: {e.message[:200]}" for e in load_schema_validator(name).iter_errors(data)]


def loader_faults(data: Any) -> list[str]:
    """What the loader has against data that it has read, without the places: they are `validate`'s and cost time."""
    try:
        Blueprint.model_validate({k: v for k, v in data.items() if not k.startswith("x-")})
    except pydantic.ValidationError as error:
        return [each["msg"] for each in error.errors()]
    return []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blueprint", "catalog", "project"])  # the overlay's is a part of the blueprint's
def test_schemas_are_json_schema_2020_12(name: str) -> None:
    schema = SCHEMAS[name]()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def undescribed(schema: Any, at: str = "") -> Iterator[str]:
    """Keys, items and values of maps without a description; conditions only point at keys that are described."""
    if isinstance(schema, list):
        for i, each in enumerate(schema):
            yield from undescribed(each, f"{at}/{i}")
    if not isinstance(schema, dict):
        return
    parts = {f"{k}/{n}": s for k in ("properties", "patternProperties") for n, s in schema.get(k, {}).items()}
    parts |= {k: schema[k] for k in ("items", "additionalProperties") if isinstance(schema.get(k), dict)}
    parts |= {f"prefixItems/{i}": s for i, s in enumerate(schema.get("prefixItems", []))}
    for name, part in parts.items():
        refers = [part, *part.get("anyOf", [])]
        if not part.get("description") and not any("$ref" in each for each in refers):
            yield f"{at}/{name}"
        yield from undescribed(part, f"{at}/{name}")
    for name, model in schema.get("$defs", {}).items():
        yield from [] if model.get("description") else [f"$defs/{name}"]
        yield from undescribed(model, name)
    for key in ("anyOf", "oneOf"):
        yield from undescribed([s for s in schema.get(key, []) if "required" not in s], f"{at}/{key}")


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_everything_has_a_description(name: str) -> None:
    assert list(undescribed(SCHEMAS[name]())) == []
    assert list(undescribed({"properties": {"a": {"items": {}, "description": "A."}}})) == ["/properties/a/items"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_schema_accepts_every_example(name: str) -> None:
    data = read_located(BLUEPRINTS / f"{name}.yaml").data
    assert schema_faults(data) == []
    assert schema_faults(data, "overlay") == []


BEYOND_A_SCHEMA = {
    "asn-pool-downwards": "the order of two numbers in a text",
    "asn-pool-reserved": "what lies between two numbers in a text",
    "host-bits": "the bits of a prefix",
    "host-bits-v6": "the bits of a prefix",
    "own-loopback-reserved": "addresses that are reserved",
    "own-loopbacks-of-one-family": "what two items of a list are to each other",
    "qos-classes-alike": "what two keys are to each other",
    "qos-thresholds-of-a-speed": "the order of two numbers in a text",
    "qos-watchdog-that-is-late": "what two keys are to each other",
}
"""Broken blueprints that the loader refuses and no JSON Schema can."""


@pytest.mark.tenth
@pytest.mark.parametrize("case", sorted(p.stem for p in ERRORS.glob("*.yaml")))
def test_the_schema_says_of_broken_blueprints_what_the_loader_says(case: str) -> None:
    hold_the_verdicts_together(ERRORS / f"{case}.yaml", case)


EXAMPLES_OF_CODES = {
    f"{code.id}-{word}": text
    for code in (*load_faults(), *load_all_rules())
    if not code.in_words
    for word, text in zip(("bad", "good"), code.examples, strict=True)
}


@pytest.mark.tenth
@pytest.mark.parametrize("case", sorted(EXAMPLES_OF_CODES))
def test_the_schema_says_of_examples_of_faults_what_the_loader_says(case: str, tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")
    file = tmp_path / "example.yaml"
    file.write_text(f"include: base.yaml\n{EXAMPLES_OF_CODES[case]}\n", encoding="utf-8")
    hold_the_verdicts_together(file, case)


def hold_the_verdicts_together(file: Path, case: str) -> None:
    """Hold `schema --check`, and the schema but for what no schema can say, to what the loader says of a file."""
    told = faults_of(lambda: check_structure(str(file)))
    unread = {d.code for d in faults_of(lambda: read_source(str(file)))}
    if unread:  # it is no YAML, or not of the kind that all readers understand alike: there is nothing to hold
        assert {d.code for d in told} == unread <= {f"FG00{n}" for n in range(1, 9)}
        return
    data = read_source(str(file)).data
    refused, seen = loader_faults(data), schema_faults(data)
    assert bool(structure := [d for d in told if d.code == "FG010"]) == bool(refused)
    assert all(d.span and d.code in ("FG010", "FG011", "FG018") for d in told)
    assert not structure or structure == told, "names are looked at once the structure is right"
    if case in BEYOND_A_SCHEMA:
        assert refused
        assert not seen, "mend BEYOND_A_SCHEMA"
    else:
        assert bool(seen) == bool(refused), (seen, refused)


def faults_of(read: Callable[[], object]) -> list[Diagnostic]:
    """What a reader refuses its input for."""
    try:
        read()
    except InputError as error:
        return list(error.diagnostics)
    return []


RELATIONS = re.compile(
    r"host bits|reserved|runs? upwards|with MIN below MAX|must be below|more than half|are both|are of one family|"
    r"names are given|name each rail once|lengths ascend|there twice|four bytes|side of the dot|"
    r"is not a range of cages|ratings ascend|the smaller metres first|need the distance|trim needs|a tenant has|"
    r"the leak is not of|"
    r"'[^']*:[^']*' is (not an address|not a prefix|neither an IP|not an IP)"
)
"""What only the loader knows: relations of values to each other, and whether the parts of an address add up."""

SCALARS: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 2.5, 63, 4097, 70_000, 10**12, [], {}, [1], [["su"]], {"a": 1}),
    *("", " ", "x", "yes", "1", "1_0", "leaf", "Leaf", "v4", "4:3", "0:1", "4:", "10%", "101%", "400G", "0G", "1.6T"),
    *("100Gb", "100 Gbit/s", "50GB/s", "400bps", "2x100Gb"),
    *("0.5G", "2000M", "2500M", "8 x sn4700", "0 x a", "4097 x a", "3X400G", "2x400", "9x400", "1-32", "32-1", "0-3"),
    *("256-512", "10.0.0.0/16", "10.0.0.0", "10.0.0.1/33", "fd00::/48", "256.0.0.0/8", "10.0.0.9", "fd00::9", "65001"),
    *("65000-65010", "64086.59905", "ntp.example.net", "a..b", "env:FABRICGEN_X", "env:HOME", "file:a.yaml", "file:a"),
    *("ssh-ed25519 AAAA", "{n:02}", "{n!r}", "two\nlines", "end", "2027-01-31", "FG203", "default", "x" * 300),
]
KEYS = ["x", "tiers", "carried_by", "guids", "racks", "per", "names", "count", "text", "tree", "P1", "x-anchor"]


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from places(value, (*path, key))


@cache
def every_key() -> tuple[Any, list[tuple[Any, ...]]]:
    """A blueprint that uses every key, and all places in it."""
    data = read_located(Path(__file__).parent / "every-key.yaml").data
    return data, list(places(data))[1:]


def keys_of(model: type[Model], seen: set[str]) -> Iterator[str]:
    """Every key that a model or one inside it has."""
    if model.__name__ in seen:
        return
    seen.add(model.__name__)
    for name, info in model.model_fields.items():
        yield name
        for inner in models_in(info.annotation):
            yield from keys_of(inner, seen)


def models_in(annotation: Any) -> Iterator[type[Model]]:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield annotation
    for argument in get_args(annotation):
        yield from models_in(argument)


def test_every_key_of_the_language_is_compared() -> None:
    data, at = every_key()
    assert (loader_faults(data), schema_faults(data), schema_faults(data, "overlay")) == ([], [], [])
    assert set(keys_of(Blueprint, set())) - {path[-1] for path in at} == set()


NEEDED = ("fabricgen", "name", "scalable_unit")


def around(path: tuple[Any, ...]) -> Any:
    """A copy of what is around a place, and of what a blueprint needs besides: small, so that many can be judged."""
    whole, _ = every_key()
    fabric = path[1] if path[0] == "fabrics" and len(path) > 1 else "oob"
    near = {key: whole[key] for key in (*NEEDED, path[0])}
    return deepcopy({**near, "fabrics": {fabric: whole["fabrics"][fabric]}})


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A blueprint with one of its values replaced, dropped or joined by another key."""
    path = draw(st.sampled_from(every_key()[1]))
    target = data = around(path)
    for part in path[:-1]:
        target = target[part]
    what = draw(st.sampled_from(["replace", "replace", "replace", "drop", "add"]))
    if what == "drop":
        del target[path[-1]]
    elif what == "add" and isinstance(target, dict):
        target[draw(st.sampled_from(KEYS))] = draw(st.sampled_from(SCALARS))
    else:
        target[path[-1]] = draw(st.sampled_from(SCALARS))
    return data


@pytest.mark.slow
@given(mutated())
def test_schema_and_loader_agree_on_changed_blueprints(data: Any) -> None:
    assert disagreement(data) == ""


def disagreement(data: Any) -> str:
    """What the schema and the loader say where only one of them refuses a blueprint; "" where they agree."""
    refused, seen = loader_faults(data), schema_faults(data)
    if bool(seen) == bool(refused) or (refused and not seen and all(RELATIONS.search(text) for text in refused)):
        return ""
    return f"schema: {seen}, loader: {refused}"


@pytest.mark.slow
@pytest.mark.parametrize("value", [None, [], {}, "", 0, "101%"], ids=repr)
def test_schema_and_loader_agree_on_what_is_empty_or_too_much(value: Any) -> None:
    """At every place of the language, one after the other."""
    said = {}
    for path in every_key()[1]:
        target = data = around(path)
        for part in path[:-1]:
            target = target[part]
        target[path[-1]] = value
        said[path] = disagreement(data)
    assert {path: text for path, text in said.items() if text} == {}


@pytest.mark.parametrize("path", [("qos", "roce_dscp"), ("floor", "racks_per_row"), ("fabrics", "oob", "vlan")])
def test_a_whole_number_may_have_a_point(path: tuple[str, ...]) -> None:
    assert verdicts(path, 3.0) == (True, True)


@pytest.mark.parametrize(
    "path", [("address_of", "edge", "asn"), ("fabrics", "compute", "tiers", "leaf", "cages", "down")]
)
def test_a_whole_number_with_a_point_is_refused_where_text_may_stand(path: tuple[str, ...]) -> None:
    """65000.1 is an AS number in dotted notation; JSON Schema has no way to tell 65000.0 from 65000."""
    assert verdicts(path, 3.0) == (False, True)


def verdicts(path: tuple[str, ...], value: Any) -> tuple[bool, bool]:
    """Whether loader and schema accept a value at a place."""
    target = data = around(path)
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = value
    return not loader_faults(data), not schema_faults(data)


@pytest.mark.parametrize(("key", "value"), [("scalable_unit", None), ("scalable_units", {})])
def test_pods_of_nothing_are_refused_by_both(key: str, value: Any) -> None:
    data = around(("fabrics", "oob"))
    del data["scalable_unit"]
    data[key] = value
    assert loader_faults(data)
    assert schema_faults(data)


PROFILE = """
kind: node
id: mine
name: Mine
roles:
  compute:
    form_factor: OSFP
    lanes: 4
    lane_gbps: 100
    speeds: [400, 200]
    ports:
      - {rail: 1, name: p1, cage: c1}
      - {rail: 2, name: p2, cage: c2}
rack_units: 8
power_w: {max: 1000, max_tag: D, max_source: "a round figure"}
source: "our own drawing"
tag: R
"""


@pytest.mark.parametrize(
    ("place", "edit", "says"),
    [
        ("catalog/nodes/mine.yaml", {}, ""),
        ("elsewhere/mine.yaml", {}, ""),
        ("elsewhere/mine.yaml", {"rail: 2": "rail: 3"}, "rails must be 1 to 3"),
        ("catalog/nodes/mine.yaml", {"rail: 2": "rail: 3"}, "rails must be 1 to 3"),
        ("catalog/nodes/mine.yaml", {"cage: c1": "cage: c1, nic: nope"}, "there is no NIC profile 'nope'"),
        ("catalog/nodes/other.yaml", {}, "other.yaml has id 'mine'"),
    ],
)
def test_a_node_profile_is_called_that_and_held_to_what_lint_refuses(
    tmp_path: Path, fabricgen: Callable[..., Ran], place: str, edit: dict[str, str], says: str
) -> None:
    text = PROFILE
    for old, new in edit.items():
        text = text.replace(old, new)
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text(text, encoding="utf-8")
    ran = fabricgen("schema", "--check", tmp_path / place)
    assert ran.code == (2 if says else 0), ran.out
    assert ran.out.splitlines()[-1].startswith("1 node profile: 1 error" if says else "1 node profile: 0 errors")
    assert says in ran.out
