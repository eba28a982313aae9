"""Templates of the user that would run for ever, or fill memory, end in an error that says where."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.render import budget, engine
from fabricgen.render.budget import MAX_SIZE, MAX_STEPS
from fabricgen.render.overrides import render_guarded, sandboxed_environment
from tests.render.rendered import cluster_of

BIG = "range(99999)"
DOUBLED = "{% set ns = namespace(x='ab') %}\n{% for i in range(99) %}{% set ns.x = ns.x OP ns.x %}{% endfor %}"

ENDLESS = {
    "nested loops": "{% for a in BIG %}{% for b in BIG %}\n{% endfor %}{% endfor %}",
    "a loop in a filter": "{% for a in BIG %}{{ BIG|sum }}{% endfor %}",
    "a lazy filter": "{% for a in BIG %}{{ BIG|map('abs')|list|length }}{% endfor %}",
    "a sort": "{% for a in BIG %}{{ BIG|sort|first }}{% endfor %}",
    "a recursive loop": "{% for a in [1] recursive %}{{ loop(BIG) }}{% endfor %}",
    "a loop with a test": "{% for a in BIG %}{% for b in BIG if b < 0 %}{% endfor %}{% endfor %}",
    "a macro twice": "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "a macro of itself": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "an include of itself": "{% include 'sonic/frr.conf.j2' %}",
    "an include twice": "{% set n = n|default(40) - 1 %}{% if n %}{% include 'sonic/frr.conf.j2' %}"
    "{% include 'sonic/frr.conf.j2' %}{% endif %}",
    "a block of itself": "{% block b %}{{ self.b() }}{{ self.b() }}{% endblock %}",
    "a text many times": "{{ 'x' * 10**9 }}",
    "a list many times": "{{ ([1] * 10**9)|length }}",
    "a power": "{{ 9 ** (9 ** 9) }}",
    "a power in turns": "{% set ns = namespace(x=9) %}{% for i in range(99) %}{% set ns.x = ns.x * ns.x %}{% endfor %}",
    "a width": "{{ '%999999999d' % 1 }}",
    "a width of its own": "{{ '%*d' % (999999999, 1) }}",
    "a width in a filter": "{{ '%999999999d'|format(1) }}",
    "a width in a method": "{{ '{:999999999d}'.format(1) }}",
    "a width beyond all memory": "{{ '{:99999999999999d}'.format(1) }}",
    "a width inside a width": "{{ '{:{w}}'.format(1, w=999999999) }}",
    "center": "{{ 'x'|center(10**9) }}",
    "center as a method": "{{ 'x'.center(10**9) }}",
    "zfill": "{{ 'x'.zfill(10**9) }}",
    "indent": "{{ 'a\\nb'|indent(10**9) }}",
    "a batch": "{{ [1]|batch(10**9, 0)|list|length }}",
    "a slice": "{{ [1]|slice(10**9)|list|length }}",
    "a precision": "{{ 1.5|round(10**9, 'floor') }}",
    "json": "{{ [1]|tojson(indent=10**9) }}",
    "tabs": "{{ ('\\t' * 9999).expandtabs(99999) }}",
    "text in place of nothing": "{% set x = 'ab' * 9999 %}{{ x.replace('', x) }}",
    "a join": "{% set x = 'ab' * 99999 %}{{ ([x] * 9999)|join }}",
    "a join as a method": "{% set x = 'ab' * 99999 %}{{ ''.join([x] * 9999) }}",
    "text doubled with ~": DOUBLED.replace("OP", "~"),
    "text doubled with +": DOUBLED.replace("OP", "+"),
    "text doubled by printing": "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set y %}"
    "{{ ns.x }}{{ ns.x }}{% endset %}{% set ns.x = y %}{% endfor %}",
    "a macro that prints much": "{% set x = 'ab' * 999999 %}{% macro f() %}{% for i in BIG %}{{ x }}{% endfor %}"
    "{% endmacro %}{{ f() }}",
    "lines without an end": "{% for a in BIG %}" + "interface\n" * 99 + "{% endfor %}",
}


SECONDS = 300
"""Of a processor, that a template may take to be ended twice; a third of that where it has a tenth of the steps."""


def spent(folder: Path, text: str, seconds: float) -> None:
    """Render a template twice, and assert that both end soon, in the same error at its place."""
    (folder / "sonic").mkdir()
    (folder / "sonic" / "frr.conf.j2").write_text("!\n" + text.replace("BIG", BIG))
    environment = sandboxed_environment(folder)
    began, said = time.process_time(), []
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            render_guarded(environment, "sonic/frr.conf.j2", {}, tells=True)
        said.append(caught.value.diagnostics)
    assert time.process_time() - began < seconds
    assert said[0] == said[1], "the verdict depends on what ran before"
    assert said[0][0].code == "FG033"
    assert "sonic/frr.conf.j2:" in said[0][0].message


@pytest.mark.tenth
@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_a_template_without_an_end_is_a_located_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """With a tenth of the steps: what is counted, and told where, is the same."""
    monkeypatch.setattr(budget, "MAX_STEPS", MAX_STEPS // 10)
    spent(tmp_path, text, SECONDS / 3)


@pytest.mark.slow
def test_the_whole_budget_is_spent_soon(tmp_path: Path) -> None:
    """By the template whose steps take longest."""
    spent(tmp_path, ENDLESS["a macro twice"], SECONDS)


@pytest.mark.slow
def test_real_templates_take_a_fraction_of_the_budget(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    renderer = engine.Renderer(engine.RenderOptions(tmp_path / "own"))
    cluster = cluster_of("superpod-b300")
    most = [0, 0]
    seen = set()
    for row in cluster.switch_rows():
        view = cluster.switch(row)
        if view.tier.key in seen:
            continue
        seen.add(view.tier.key)
        for _, content in renderer.files(view, cluster.design.catalog):
            most = [max(most[0], renderer._environment.steps), max(most[1], len(content))]
    assert 0 < most[0] < MAX_STEPS / 10, most
    assert 0 < most[1] < MAX_SIZE / 10, most
