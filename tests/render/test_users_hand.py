"""The user's hand: templates that change a block, and findings where safety lines are lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.render import engine
from fabricgen.render.safety import find_lost_safety_lines
from tests.render.rendered import ALL_EOS, UNNUMBERED, cluster_of, config_db

LEAF = "compute-leaf-p1-su01-r1-01"


def own_template(folder: Path, name: str, text: str) -> engine.RenderOptions:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return engine.RenderOptions(folder)


@pytest.mark.slow
def test_a_template_may_extend_the_built_in_one(tmp_path: Path) -> None:
    options = own_template(tmp_path, "sonic/_bgp.j2", '! ours\n{% include "builtin/sonic/_bgp.j2" %}')
    cluster = cluster_of("leaf-spine", *UNNUMBERED)
    plain, own = dict(engine.render_configs(cluster)), dict(engine.render_configs(cluster, options=options))
    path = f"configs/{LEAF}/frr.conf"
    assert own[path] == plain[path].replace(b"router bgp", b"! ours\nrouter bgp", 1)
    assert not list(find_lost_safety_lines(cluster, options))


@pytest.mark.slow
def test_a_template_may_change_one_block_of_the_built_in_one(tmp_path: Path) -> None:
    text = (
        '{% extends "builtin/eos/_bgp.j2" %}\n'
        "{% block neighbors %}\n{{ super() }}   neighbor 192.0.2.1 remote-as 64999\n{% endblock %}\n"
    )
    options = own_template(tmp_path, "eos/_bgp.j2", text)
    cluster = cluster_of("leaf-spine", *ALL_EOS)
    plain, own = dict(engine.render_configs(cluster)), dict(engine.render_configs(cluster, options=options))
    path = f"configs/{LEAF}/{LEAF}.cfg"
    assert own[path] != plain[path]
    assert own[path].replace(b"   neighbor 192.0.2.1 remote-as 64999\n", b"") == plain[path]
    assert not list(find_lost_safety_lines(cluster, options))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "changed"),
    [
        ('PORT, last, in_all_rows={"mtu": 9100}', lambda name: True),
        (
            'PORT, last, more_rows={"Ethernet224": dict(PORT["Ethernet224"], mtu=9100)}',
            lambda name: name == "Ethernet224",
        ),
    ],
    ids=["every port", "one port"],
)
def test_one_field_of_ports_is_changed_in_one_block(tmp_path: Path, rows: str, changed: Callable[[str], bool]) -> None:
    text = (
        '{% extends "builtin/sonic/tables/PORT.j2" %}\n'
        f'{{% block PORT %}}\n{{{{ table("PORT", {rows}) }}}}\n{{% endblock %}}\n'
    )
    options = own_template(tmp_path, "sonic/tables/PORT.j2", text)
    cluster = cluster_of("leaf-spine")
    plain, own = (
        {path: content.decode() for path, content in engine.render_configs(cluster, options=each)}
        for each in (None, options)
    )
    expected = config_db(plain, LEAF)
    expected["PORT"] = {
        name: {**row, "mtu": "9100"} if changed(name) else row for name, row in expected["PORT"].items()
    }
    assert own[f"configs/{LEAF}/config_db.json"] == json.dumps(expected, indent=4, sort_keys=True) + "\n"
    assert not list(find_lost_safety_lines(cluster, options))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("sonic/frr.conf.j2", "hostname {{ hostname }}\n", "ip prefix-list LOOPBACKS seq 10"),
        ("sonic/tables/PFC_WD.j2", '    "PFC_WD": {}{{ "," if not last }}\n', "PFC_WD/Ethernet0/action"),
    ],
)
def test_a_template_that_leaves_out_safety_lines_is_a_finding(tmp_path: Path, name: str, text: str, said: str) -> None:
    options = own_template(tmp_path, name, text)
    found = list(find_lost_safety_lines(cluster_of("leaf-spine", *UNNUMBERED), options))
    assert [d.path[-1] for d in found] == ["leaf", "spine"]
    assert {d.code for d in found} == {"FG704"}
    assert said in found[0].message


@pytest.mark.slow
def test_build_and_lint_report_what_templates_leave_out(tmp_path: Path, fabricgen) -> None:
    own_template(tmp_path / "own", "sonic/tables/PFC_WD.j2", '    "PFC_WD": {}{{ "," if not last }}\n')
    blueprint = Path(__file__).resolve().parents[2] / "blueprints" / "leaf-spine.yaml"
    built = fabricgen("build", blueprint, "-o", tmp_path / "out", "--templates", tmp_path / "own")
    assert built.code == 0
    assert built.err.count("warning[FG704]") == 2
    assert '"warning": 2' in (tmp_path / "out" / "summary.json").read_text()
    judged = fabricgen("lint", blueprint, "--templates", tmp_path / "own", "--fail-on", "warning")
    assert judged.code == 1
    assert "FG704" in judged.out


@pytest.mark.parametrize(
    ("sets", "place"),
    [
        (("nos=eos", *ALL_EOS[1:], "routing.underlay=static", "snippets={own: {nos: eos, at: bgp, text: 'a'}}"), "bgp"),
        (("fabrics.compute.tiers.leaf.snippets={own: {nos: sonic, text: 'a'}}",), "frr"),
    ],
)
def test_a_snippet_without_its_place_is_refused_not_lost(sets: tuple[str, ...], place: str) -> None:
    with pytest.raises(InputError) as caught:
        list(engine.render_configs(cluster_of("leaf-spine", *sets)))
    (found,) = caught.value.diagnostics
    assert found.code == "FG052"
    assert f"has no place '{place}'" in found.message
    assert found.path[-2:] == ("snippets", "own")
    assert found.span
