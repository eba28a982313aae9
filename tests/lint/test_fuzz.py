"""Whatever text a blueprint is, lint ends in findings with a place, soon: no other exception, no hang.

`pytest --whole --hypothesis-profile=thorough tests/lint/test_fuzz.py` takes ten times as many cases.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.lint.engine import LintSettings, lint
from fabricgen.lint.report import REPORTS, FileReport, write_report
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.reports.formats import list_formats
from tests.conftest import BLUEPRINTS, EXAMPLES
from tests.effort import calls
from tests.properties.compiling import cases

TEXTS = {name: (BLUEPRINTS / f"{name}.yaml").read_text(encoding="utf-8") for name in EXAMPLES}
TREES: dict[str, Any] = {name: yaml.load(text, yaml.CSafeLoader) for name, text in TEXTS.items()}

SECONDS = 300
"""Seconds of a processor after which a text is said to hang; it is milliseconds to few seconds on a free machine."""

STEPS = 20_000_000
"""Calls of functions that judging a hostile text may take: some seconds. A blueprint as it should be takes 40,000."""

FEW_NODES = 600
"""What is small enough to be expanded for the rules on plans."""


def judged(file: Path) -> tuple[Diagnostic, ...]:
    """What lint says of a file, of the plan too where that is small."""
    began = process_time()
    try:
        design = compile_design(str(file))
        small = design.layout.units * sum(nodes.count for nodes in design.layout.node_sets) <= FEW_NODES
        found = lint(design, compile_cluster(design) if small else None, LintSettings(as_of="2026-11-01")).findings
    except InputError as refusal:
        found = refusal.diagnostics
        assert found
        assert all(d.span for d in found), [d.text() for d in found if not d.span]
    assert process_time() - began < SECONDS
    assert all(d.message and d.span.line >= 1 and d.span.column >= 1 for d in found if d.span)
    return found


def well_formed(file: Path, found: tuple[Diagnostic, ...]) -> None:
    """Every report of the findings can be read."""
    texts = {form: write_report(form, [FileReport(str(file), found)]) for form in list_formats(REPORTS)}
    assert len(json.loads(texts["json"])["findings"]) == len(found)
    assert len(json.loads(texts["sarif"])["runs"][0]["results"]) == len(found)
    ElementTree.fromstring(texts["junit"])
    assert len([line for line in texts["github"].splitlines() if line.startswith("::")]) >= len(found)
    assert texts["text"].encode()


def check(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    well_formed(file, judged(file))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "blueprint.yaml"


STRANGE_TEXT = (
    "\0", "\t", "\x1b[31m", "\u2028", "\ufeff", "\u202e", "é", "😀", "{", "}", "[", "]", ":", ": ", "- ", "&a ", "*a",
    "<<: *a", "!!python/object/apply:os.system [ls]", "!include x.yaml", "!!binary aGk=", "|", ">", "'", '"',
    "%YAML 9.9", "---", "...", "? ", "@", "`", "#", "~", ".nan", ".inf", "-1", "0x7f", "1e999", "9" * 400,
    "[" * 80, "2001-01-01",
)  # fmt: skip


@st.composite
def spoilt_texts(draw: st.DrawFn) -> bytes:
    """An example with some of its text cut, repeated, shifted or replaced."""
    text = TEXTS[draw(st.sampled_from(EXAMPLES))]
    for _ in range(draw(st.integers(1, 4))):
        lines = text.split("\n")
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        at = draw(st.integers(0, len(text)))
        match draw(st.sampled_from(("cut", "twice", "swap", "indent", "drop", "insert", "over", "word"))):
            case "cut":
                text = text[:at]
            case "twice":
                text = "\n".join([*lines[:i], lines[i], *lines[i:]])
            case "swap":
                lines[i], lines[j] = lines[j], lines[i]
                text = "\n".join(lines)
            case "indent":
                lines[i] = draw(st.sampled_from(("", " ", "  ", "\t", " " * 200))) + lines[i].lstrip()
                text = "\n".join(lines)
            case "drop":
                text = "\n".join(lines[:i] + lines[i + 1 :])
            case "insert":
                text = text[:at] + draw(st.sampled_from(STRANGE_TEXT) | st.text(max_size=8)) + text[at:]
            case "over":
                text = text[:at] + draw(st.sampled_from(STRANGE_TEXT)) + text[at + draw(st.integers(1, 9)) :]
            case _:
                words = text.split(" ")
                a, b = (draw(st.integers(0, len(words) - 1)) for _ in range(2))
                words[a] = words[b]
                text = " ".join(words)
    return text.encode("utf-8", "surrogatepass")


SCALARS = st.sampled_from(
    [None, True, False, 0, 1, -1, 2, 3, 7, 63, 64, 65, 4096, 65536, 10**17, 10**30, 0.5, float("nan"), float("-inf"),
     "", "0", "1", " ", "x" * 5000, "p1/*/node-last", "1:1", "0:0", "1:0", "10.0.0.0/8", "::/0", "fe80::/10",
     "0 x 400G", "4 x 400G",
     "999999 x 800G", "400G", "0G", "1-64", "64-1", "65536 x dgx-b200", "compute", "leaf", "spine", "rail",
     "{pod}{su}{n}", "{", "{0.__class__}", "env:FABRICGEN_X", "file:/etc/passwd", "\n", "\0", "é", "2026-13-45",
     5e-324, 1e308, "ends", "row-end", "unit-middle", "rack-top", "DR", "LPO", "copper", "2%", "nvidia-linkx", "../x",
     "=1+1", "eia-48u-600", "mpo-apc-72", "p1-su01-rk01", "compute-spine-01", "h1", [0, 0], [4.5, -1e5],
     "nvl72-gb200", "sn2201", "qm9700", "7816r4", "eos", "sonic", "opensm", "infiniband", "stripe", "roce-lossless"]
)  # fmt: skip
FLOOR: dict[str, Any] = {
    "floor": {
        "halls": {"h1": {"rows": 90, "racks_per_row": 40}, "h2": {"rows": 9, "storey": 1, "at_m": [40, 0]}},
        "network_rows": {"at": "middle", "rows": 9},
        "aisles": {"cold_m": 1.8, "hot_m": 1.2},
        "racks": {"p1-su01-rk01": {"hall": "h1", "row": 80, "column": 3},
                  "spare": {"hall": "h2", "row": 1, "column": 1}},
        "devices": {"compute-spine-01": {"rack": "spare", "u": 4}},
        "trays": {"at": "under-floor", "cross": 8, "loop_m": 0.3, "exits": {"h1": [0, -2]}, "risers": [[0, -2]]},
        "network_rack": "eia-48u-600",
        "feeds": ["A", "B"],
    },
    "cabling": {
        "copper_to_m": 2, "allow": ["LPO"], "prefer": ["DR", "FR"], "fibre": "any", "stock_m": {"DR": [5, 10, 500]},
        "products": ["nvidia-linkx", "generic"],
        "patch": {"all": {"at": "row-end", "trunk_fibres": 144, "spare": "10%"}},
    },
    "spares": {"cables": "2%", "transceivers": {"percent": "2%", "minimum": 4, "per": "site"}, "parts": {"cat6a-*": 1}},
    "cable_of": {"compute-leaf-p1-su01-r1-01:29": {"a_cage": 30, "length_m": 5, "note": "x"}},
}  # fmt: skip
"""Keys about racks and cables that few examples have."""

VALUES = st.recursive(
    SCALARS | st.integers(-5, 70000) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


def places(tree: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value below a tree."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [p for key, value in pairs for p in ((*above, key), *places(value, (*above, key)))]


@st.composite
def spoilt_trees(draw: st.DrawFn) -> bytes:
    """An example with some of its values replaced, taken from elsewhere, doubled or gone."""
    tree = deepcopy(TREES[draw(st.sampled_from(EXAMPLES))])
    tree |= {key: deepcopy(FLOOR[key]) for key in draw(st.lists(st.sampled_from(sorted(FLOOR)), max_size=2))}
    for _ in range(draw(st.integers(1, 3))):
        known = places(tree)
        path = draw(st.sampled_from(known))
        parent = at(tree, path[:-1])
        match draw(st.sampled_from(("value", "value", "value", "other", "gone", "key"))):
            case "value":
                parent[path[-1]] = draw(VALUES)
            case "other":
                parent[path[-1]] = deepcopy(at(tree, draw(st.sampled_from(known))))
            case "gone":
                del parent[path[-1]]
            case _ if isinstance(parent, dict):
                key = draw(st.text(max_size=5) | st.sampled_from([str(p[-1]) for p in known]))
                parent[key] = draw(VALUES)
            case _:
                parent.append(draw(VALUES))
        if not places(tree):
            break
    return json.dumps(tree, default=str).encode()  # a day of YAML is a text there


def at(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


NUMBERS = st.sampled_from([1, 2, 3, 5, 8, 16, 63, 64, 100, 1000, 4096, 65535, 65536])


@st.composite
def huge_counts(draw: st.DrawFn) -> bytes:
    """An example whose counts are anything that the language allows."""
    tree = deepcopy(TREES[draw(st.sampled_from(EXAMPLES))])
    for pod in tree.get("pods", {}).values():
        pod |= {key: draw(NUMBERS) for key in ("su", "reserve", "count") if draw(st.booleans())}
    for fabric in tree["fabrics"].values():
        for tier in fabric.get("tiers", {}).values():
            if draw(st.booleans()):
                tier["count"] = min(4096, draw(NUMBERS))
    return json.dumps(tree, default=str).encode()


@pytest.mark.slow
@pytest.mark.law
@cases(100)
@given(spoilt_texts())
def test_spoilt_text_ends_in_findings(file: Path, content: bytes) -> None:
    check(file, content)


@pytest.mark.law
@cases(150)
@given(spoilt_trees())
@pytest.mark.slow
def test_spoilt_values_end_in_findings(file: Path, content: bytes) -> None:
    check(file, content)


@pytest.mark.slow
@pytest.mark.law
@cases(4)
@given(huge_counts())
def test_any_count_is_judged_soon(file: Path, content: bytes) -> None:
    check(file, content)


def bomb(depth: int, width: int) -> str:
    rows = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * width)}]" for i in range(1, depth)]
    return "\n".join(rows)


LONG = "x" * 100_000
HOSTILE: dict[str, Callable[[str], str]] = {
    "bomb": lambda text: text + bomb(30, 9),
    "deep": lambda text: text + "a: " + "[" * 5000 + "]" * 5000,
    "deep-block": lambda text: text + "".join("\n" + " " * i + "k:" for i in range(300)),
    "long-key": lambda text: text + f"\n{LONG}: 1",
    "long-name": lambda text: text.replace("name: leaf-spine", f"name: {LONG}"),
    "long-line": lambda text: text.replace("per: [su, rail]", f"per: [{'su, ' * 5000}rail]"),
    "many-keys": lambda text: text + "\n" + "\n".join(f"k{i}: {i}" for i in range(1000)),
    "many-pods": lambda text: text.replace("{p1: {su: 2}}", f"{{{', '.join(f'p{i}: {{}}' for i in range(2000))}}}"),
    "many-fabrics": lambda text: text + "".join(text[text.index("  compute:") :].replace("compute", f"f{i}", 1)
                                                for i in range(40)),
    "merge-loop": lambda text: text + "\na: &a {<<: *a}",
    "many-rails": lambda text: text.replace("    tiers:", f"    rail_groups: [{list(range(1, 15000))}]\n    tiers:", 1),
    "all-the-pods": lambda text: text.replace("{su: 2}", "{su: 65536, count: 65536, reserve: 65536}"),
    "most-units": lambda text: text.replace("{su: 2}", "{su: 65536}"),
    "most-pods": lambda text: text.replace("{su: 2}", "{su: 1, count: 10000}"),
}  # fmt: skip


@pytest.mark.tenth
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.slow
def test_hostile_text_is_refused_soon(tmp_path: Path, name: str) -> None:
    text = HOSTILE[name](TEXTS["leaf-spine"])
    assert text != TEXTS["leaf-spine"]
    file = tmp_path / "blueprint.yaml"
    file.write_text(text, encoding="utf-8")
    found: list[Diagnostic] = []
    assert calls(lambda: found.extend(judged(file))) < STEPS
    assert found
    well_formed(file, tuple(found))
