"""The schema of config_db.json: how it is made of YANG, on a model of our own, and what the committed one says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from fabricgen.catalog.sonic_schema import FieldFacts, find_field_facts, find_row_schema, load_sonic_schema
from fabricgen.kernel.discovery import find_resource_dir
from tools.sonic_schema import schema_text, whole_pattern
from tools.sonic_schema import sonic_schema as schema_of

TYPES = """
module sonic-colours {
  yang-version 1.1; namespace "urn:colours"; prefix c;
  typedef colour { type enumeration { enum red; enum green; } default green; }
  typedef tag { type string { length 2..4; pattern "[a-z]+"; } }
  grouping shared { leaf colour { type colour; } leaf note { type string; default none; description "left out"; } }
}
"""

TREES = """
module sonic-trees {
  yang-version 1.1; namespace "urn:trees"; prefix t;
  import sonic-colours { prefix c; }
  container sonic-trees {
    container TREE {
      container GLOBAL { leaf state { type boolean; default "false"; } }
      list TREE_LIST {
        key name;
        leaf name { type string { pattern 'Tree[0-9]+'; } }
        leaf height { mandatory true; type uint16 { range "1..99 | 500"; } }
        leaf mode { type string { pattern "slow|fast"; } }
        leaf share { type decimal64 { fraction-digits 2; range 0..99.99; } }
        leaf warmth { type int8 { range -8..7; } }
        leaf-list tags { type c:tag; max-elements 2; default ab; }
        choice limit { case a { leaf most { type uint8; } } case b { leaf least { type uint8; mandatory true; } } }
        leaf owner { when "../mode = 'fast'"; mandatory true; type string; }
        uses c:shared;
      }
    }
    container NEST {
      list NEST_LIST {
        key "tree bird"; max-elements 3;
        leaf tree { type leafref { path "/t:sonic-trees/t:TREE/t:TREE_LIST/t:name"; } }
        leaf bird { type union { type string { pattern "any"; } type leafref { path "../../NEST_LIST/tree"; } } }
      }
    }
    container BY_TREE {
      list BY_TREE_LIST {
        key name; leaf name { type string; }
        list BY_TREE { key tree; leaf tree { type uint8; } leaf value { type c:tag; } }
      }
    }
    container storm-events { leaf when { type string; } }
  }
}
"""


def made_of(tmp_path: Path, *modules: str) -> dict:
    for text in modules:
        (tmp_path / f"{text.split()[1]}.yang").write_text(text)
    return schema_of(tmp_path, "a model of our own")


@pytest.fixture
def trees(tmp_path):
    schema = made_of(tmp_path, TYPES, TREES)
    Draft202012Validator.check_schema(schema)
    return schema


def row(**fields):
    return {"TREE": {"Tree1": {"height": "7", **fields}}}


@pytest.mark.parametrize(
    "tables",
    [
        row(),
        row(height="500", mode="fast", share="99.99", warmth="-8", tags=["ab", "abcd"], most="255"),
        row(colour="red", note="", least="0"),
        {"TREE": {"GLOBAL": {"state": "true"}}},
        {"NEST": {"Tree1|any": {}}, "BY_TREE": {"x": {"1": "ab", "255": "cd"}}},
    ],
)
def test_what_the_models_allow_fits(trees, tables) -> None:
    assert [error.message for error in Draft202012Validator(trees).iter_errors(tables)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "tables",
    [
        {"TREE": {"Tree1": {}}},
        row(height="100"),
        row(height="7\n"),
        row(height=7),
        row(mode="quick"),
        row(share="100"),
        row(warmth="-9"),
        row(tags="ab"),
        row(tags=["ab", "cd", "ef"]),
        row(tags=["abcde"]),
        row(tags=["ab", "ab"]),
        row(tags=["AB"]),
        row(most="1", least="1"),
        row(colour="blue"),
        row(hight="7"),
        {"TREE": {"GLOBAL": {"state": "True"}}},
        {"TREE": {"a|b": {}}},
        {"NEST": {f"Tree{n}|any": {} for n in range(4)}},
        {"BY_TREE": {"x": {"256": "ab"}}},
        {"BY_TREE": {"x": {"1": "a"}}},
        {"storm-events": {}},
        {"TREES": {}},
    ],
)
def test_what_they_do_not_allow_does_not(trees, tables) -> None:
    assert not Draft202012Validator(trees).is_valid(tables)


def test_facts_that_json_schema_has_no_word_for_stand_beside_it(trees) -> None:
    tree = trees["properties"]["TREE"]["patternProperties"]["^(?!(?:GLOBAL)$)[^|]*$"]
    assert tree["required"] == ["height"], "what a condition or a choice is above is not asked of all"
    assert trees["$defs"]["1..99 500..500"]["x-range"] == [[1, 99], [500, 500]]
    assert (tree["properties"]["colour"]["default"], tree["properties"]["tags"]["default"]) == ("green", ["ab"])
    nest = trees["properties"]["NEST"]["patternProperties"][r"^[^|]*\|[^|]*$"]
    tree_key, bird = nest["x-keys"][0], trees["$defs"]["NEST.bird"]
    assert (tree_key["x-ref"], bird["anyOf"][1]["x-ref"]) == (["TREE", 1, 0], ["NEST", 2, 0])
    assert "left out" not in schema_text(trees)
    assert json.loads(schema_text(trees)) == trees


@pytest.mark.parametrize(
    "leaf",
    [
        "type bits { bit a; }",
        "type string { pattern '\\p{Lu}'; }",
        "type string { pattern a { modifier invert-match; } }",
        "type decimal64 { fraction-digits 2; range 0..1.5; }",
        'type leafref { path "../none"; }',
    ],
)
def test_what_the_generator_does_not_know_stops_it(tmp_path, leaf: str) -> None:
    row = f"container sonic-a {{ container A {{ container B {{ leaf b {{ {leaf} }} }} }} }}"
    with pytest.raises(ValueError, match=r"A/b|a pattern|decimals|'b'"):
        made_of(tmp_path, f'module sonic-a {{ yang-version 1.1; namespace "urn:a"; prefix a; {row} }}')


@pytest.mark.parametrize("bounds", [(0, 99), (1, 4094), (68, 9216), (-8, 7), (100, 5000), (7, 7), (0, 65535)])
def test_patterns_of_numbers_hold_at_every_bound(bounds: tuple[int, int]) -> None:
    low, high = bounds
    pattern = Draft202012Validator({"pattern": whole_pattern([[low, high]])})
    near = {n + d for n in (0, low, high, high // 10, high * 10) for d in range(-12, 13)}
    assert [n for n in sorted(near) if pattern.is_valid(str(n)) != (low <= n <= high)] == []


@pytest.mark.slow
def test_the_committed_schema_is_one_and_names_its_source() -> None:
    schema = load_sonic_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["x-source"].startswith("sonic-net/sonic-buildimage@")
    assert len(schema["properties"]) > 200
    text = (find_resource_dir("schemas") / "sonic-config-db.schema.json").read_text(encoding="utf-8")
    assert text == schema_text(schema)


def test_facts_of_fields() -> None:
    assert find_field_facts("PORT", "Ethernet0", "admin_status") == FieldFacts("down", False, "", "word")
    assert find_field_facts("PORT", "Ethernet0", "adv_speeds") == FieldFacts(None, True, ",", "text")
    assert find_field_facts("ACL_TABLE", "DATA", "services") == FieldFacts(None, True, "", "text")
    assert find_field_facts("DSCP_TO_TC_MAP", "AZURE", "46") == FieldFacts(None, False, "", "number")
    assert find_field_facts("PORT", "Ethernet0", "sped") is None
    assert find_row_schema("PORT", "Ethernet0|a") is None
    assert find_row_schema("PORTS", "Ethernet0") is None
