"""Laws of all templates: text may name a device, but nothing may hang on how it is called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

from fabricgen.kernel.discovery import find_resource_dir
from fabricgen.render.engine import Renderer, RenderOptions
from fabricgen.views.switch import SwitchView
from tests.render.rendered import ALL_EOS, UNNUMBERED, cluster_of

TEMPLATES = sorted(find_resource_dir("templates").rglob("*.j2"))

NAMES = {"hostname", "peer", "description", "site", "rack"}
"""What templates call a device's name, or text that holds one."""

CASES = [("leaf-spine", ()), ("leaf-spine", UNNUMBERED), ("leaf-spine", ALL_EOS), ("superpod-b300", ())]


@cache
def tree(file: Path) -> nodes.Template:
    return jinja2.Environment(trim_blocks=True, lstrip_blocks=True).parse(file.read_text())


def decisions(template: nodes.Template) -> Iterator[nodes.Node]:
    """What a template decides by: conditions, comparisons, tests, filters of loops, lookups and chosen includes."""
    for node in template.find_all((nodes.If, nodes.CondExpr)):
        yield node.test
    for loop in template.find_all(nodes.For):
        if loop.test is not None:
            yield loop.test
    yield from template.find_all((nodes.Compare, nodes.Test))
    yield from (node.arg for node in template.find_all(nodes.Getitem))
    yield from (node.template for node in template.find_all((nodes.Include, nodes.Import, nodes.Extends)))


def deciding(template: nodes.Template) -> set[str]:
    """Names of the variables, and of the fields of rows, that a template decides by."""
    found: set[str] = set()
    for node in decisions(template):
        for part in (node, *node.find_all((nodes.Name, nodes.Getattr))):
            found |= {part.name} if isinstance(part, nodes.Name) else set()
            found |= {part.attr} if isinstance(part, nodes.Getattr) else set()
    return found


@pytest.mark.tenth
@pytest.mark.parametrize("file", TEMPLATES, ids=lambda f: "/".join(f.parts[-2:]))
def test_no_template_decides_by_the_name_of_a_device(file: Path) -> None:
    assert not deciding(tree(file)) & NAMES


@pytest.mark.parametrize(
    "text",
    [
        "{% if hostname == 'spine-1' %}x{% endif %}",
        "{% for peer in peers if peer in known %}x{% endfor %}",
        "{{ 'x' if description.startswith('a') else 'y' }}",
        "{{ table[hostname] }}",
        "{% if port.description %}x{% endif %}",
        "{% include 'eos/' ~ hostname %}",
        "{% set special = hostname is equalto('a') %}",
    ],
)
def test_the_law_sees_every_way_to_decide(text: str) -> None:
    assert deciding(jinja2.Environment().parse(text)) & NAMES


def test_templates_name_no_device() -> None:
    names = {name for example, sets in CASES for name in cluster_of(example, *sets).names}
    for file in TEMPLATES:
        assert not names & set(re.findall(r"[\w.-]+", file.read_text())), file


@pytest.mark.slow
@pytest.mark.parametrize(("example", "sets"), CASES, ids=lambda v: "+".join(v) if isinstance(v, tuple) else v)
def test_other_names_change_nothing_but_names(example: str, sets: tuple[str, ...]) -> None:
    """Rename every device: each file is what it was, with the new names in it."""
    cluster = cluster_of(example, *sets)
    pattern = re.compile(r"(?<![\w-])(" + "|".join(sorted(map(re.escape, cluster.names), reverse=True)) + r")(?![\w-])")
    renderer = Renderer(RenderOptions())
    for switch in one_a_tier(list(cluster.switches())):
        was = dict(renderer.files(switch, cluster.design.catalog))
        now = dict(renderer.files(renamed(switch), cluster.design.catalog))
        assert list(now.values()) == [pattern.sub(r"q-\1", text.decode()).encode() for text in was.values()]


def one_a_tier(switches: list[SwitchView]) -> list[SwitchView]:
    return list({switch.tier.key: switch for switch in switches}.values())


def renamed(switch: SwitchView) -> SwitchView:
    ports = tuple(replace(p, peer=f"q-{p.peer}", cable=f"q-{p.cable}") for p in switch.ports)
    return replace(switch, name=f"q-{switch.name}", ports=ports)
