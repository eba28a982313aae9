"""The engine: same bytes on any machine, no NOS without templates, and nothing gets out of an overriding template."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.discovery import find_resource_dir
from fabricgen.render import engine, nos_protocol
from fabricgen.render.escape import escape_json, make_one_line, require_token
from tests.render.rendered import ALL_EOS, BLUEPRINTS, UNNUMBERED, cluster_of, files_of

DIGEST = """
import hashlib, sys
from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.render.engine import render_configs
digest = hashlib.sha256()
for path, content in render_configs(build_cluster(build_design(load_blueprint(sys.argv[1])))):
    digest.update(path.encode() + b"\\0" + content)
print(digest.hexdigest())
"""


def digest(files: list[tuple[str, bytes]]) -> str:
    found = hashlib.sha256()
    for path, content in files:
        found.update(path.encode() + b"\0" + content)
    return found.hexdigest()


def test_paths_and_order() -> None:
    paths = list(files_of("superpod-b300"))
    assert paths[:2] == [
        "configs/compute-leaf-p1-su01-r1-pl1-01/config_db.json",
        "configs/compute-leaf-p1-su01-r1-pl1-01/frr.conf",
    ]
    assert "configs/compute-spine-pl1-01/compute-spine-pl1-01.cfg" in paths
    assert len(paths) == len(set(paths)) == 170


@pytest.mark.slow
def test_bytes_do_not_depend_on_hash_seeds() -> None:
    """Of MLAG pairs; tests/cli/test_build.py compares whole builds of a larger example, of other NOSes."""
    found = {
        subprocess.run(
            [sys.executable, "-c", DIGEST, BLUEPRINTS / "bonded-pair.yaml"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "4711")
    }
    assert len(found) == 1


@pytest.mark.slow
def test_importing_the_renderer_loads_no_template_engine() -> None:
    code = "import sys, fabricgen.render.engine; print({'jinja2', 'multiprocessing'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.slow
@pytest.mark.parametrize(("sets", "nos"), [(ALL_EOS, "eos"), ((), "sonic")])
def test_rendering_loads_no_nos_that_no_switch_runs(sets: tuple[str, ...], nos: str) -> None:
    code = f"import sys; from tests.render.rendered import *; files_of('leaf-spine', *{sets}); print(*sys.modules)"
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=BLUEPRINTS.parent)
    loaded = ran.stdout.split()
    modules = {name.removeprefix("fabricgen.nos.") for name in loaded if name.startswith("fabricgen.nos.")}
    assert nos in modules
    assert {name.lstrip("_").partition(".")[0] for name in modules} == {nos}


def test_templates_stay_small_and_only_the_macro_of_tables_has_filters() -> None:
    templates = [f for f in find_resource_dir("templates").rglob("*.j2") if "{{" in f.read_text()]
    assert {f.parent.name for f in templates} >= {"cumulus", "eos", "sonic", "tables"}
    for file in templates:
        text = file.read_text()
        assert len(text.splitlines()) < 60, file
        assert file.name == "_table.j2" or not re.search(r"\{[{%][^}]*\|", text), f"{file}: a filter"
        assert not re.search(r"\{\{[^}'\"]*[+*/~]", text), f"{file}: arithmetic"


def test_nos_without_templates_is_a_fault_at_its_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nos_protocol, "list_nos", lambda part: ("eos", "opensm", "sonic"))
    with pytest.raises(InputError) as caught:
        next(engine.render_configs(cluster_of("leaf-spine", "nos.spine=cumulus")))
    (found,) = caught.value.diagnostics
    assert (found.code, found.path) == ("FG027", ("fabrics", "compute", "tiers", "spine"))
    assert found.span
    assert found.span.line == 13
    assert found.hint.startswith("run sonic on it, or ")


def test_single_templates_are_overridden(tmp_path: Path) -> None:
    (tmp_path / "sonic").mkdir()
    (tmp_path / "sonic" / "frr.conf.j2").write_text("! {{ hostname }}\n")
    files = dict(engine.render_configs(cluster_of("leaf-spine", *UNNUMBERED), options=engine.RenderOptions(tmp_path)))
    assert files["configs/compute-leaf-p1-su01-r1-01/frr.conf"] == b"! compute-leaf-p1-su01-r1-01\n"
    own = files_of("leaf-spine", *UNNUMBERED)
    assert all(files[p].decode() == text for p, text in own.items() if not p.endswith("frr.conf"))


@pytest.mark.tenth
@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ once.__globals__ }}",
        "{{ once.__self__._environment }}",
        "{{ peers.append(1) }}",
        "{{ qos.update({}) }}",
        "{{ self.__init__.__globals__ }}",
        "{{ hostname.format(1).__class__ }}",
        "{{ '{0.__class__.__mro__}'.format(hostname) }}",
        "{% include '../secret' %}",
        "{% include '/etc/passwd' %}",
        "{% include 'sonic/link.j2' %}",
        "{% for i in range(999999999) %}x{% endfor %}",
        "{{ 1 // 0 }}",
        "{{ no_such_value }}",
        "{% if %}",
    ],
)
def test_overriding_template_cannot_escape(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "templates" / "sonic"
    folder.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (folder / "link.j2").symlink_to(tmp_path / "secret")
    (folder / "frr.conf.j2").write_text(text)
    with pytest.raises(InputError) as caught:
        list(
            engine.render_configs(
                cluster_of("leaf-spine", *UNNUMBERED), options=engine.RenderOptions(tmp_path / "templates")
            )
        )
    (found,) = caught.value.diagnostics
    assert found.code == "FG033"
    assert "sonic/frr.conf.j2" in found.message or "sonic/link.j2 is a link out of" in found.message
    assert "secret\n" not in found.message


HOSTILE = 'n1\nrouter bgp 1\r\n"},\u2028{"x": \\ ?\x1b[31m'


def test_free_text_stays_on_its_line() -> None:
    line = make_one_line(HOSTILE)
    assert line.isprintable()
    assert line.isascii()
    assert make_one_line("\n\t") == "-"
    assert json.loads(f'"{escape_json(HOSTILE)}"') == HOSTILE
    for word in ("", "a b", "a\nb", "-x", 'a"b', "a;b\x00"):
        with pytest.raises(ValueError, match="cannot be a word"):
            require_token(word)


def test_hostile_names_of_neighbours_inject_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a name that no blueprint can have reaches a description as text and nothing else."""
    monkeypatch.setattr(engine.SwitchShapes, "plain", False)  # as such names are not
    for sets in ((), ALL_EOS):
        cluster = cluster_of("leaf-spine", *sets)
        row = cluster.switch_rows()[0]
        switch = cluster.switch(row)
        evil = replace(switch, ports=tuple(replace(p, peer=HOSTILE, cable=HOSTILE) for p in switch.ports))
        fake = SimpleNamespace(
            design=cluster.design,
            views=cluster.views,
            port_names=cluster.port_names,
            switch=lambda _row, evil=evil: evil,
        )
        plain = dict(engine.render_rows(cluster, [row], engine.RenderOptions()))
        for path, content in engine.render_rows(fake, [row], engine.RenderOptions()):  # type: ignore[arg-type]
            text = content.decode()
            if path.endswith(".json"):
                tables = json.loads(text)
                assert tables["DEVICE_NEIGHBOR"]["Ethernet0"]["name"] == HOSTILE
                assert set(tables) == set(json.loads(plain[path]))
            else:
                assert text.count("\n") == plain[path].count(b"\n")
                assert [w for w in text.splitlines() if w.lstrip().startswith("router bgp")] == [
                    f"router bgp {switch.asn}"
                ]
