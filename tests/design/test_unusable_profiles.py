"""Scale-up profiles of one's own that contradict themselves are told of in their file, and never crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.catalog.loader import BUILT_IN
from fabricgen.kernel.diagnostics import InputError
from fabricgen.pipeline import compile_design

BLUEPRINT = """
fabricgen: 1
name: own-domain
scalable_unit: {nodes: 4 x dgx-b200}
scale_up: {nvlink: {domain: DOMAIN, per: node}}
fabrics: {compute: {protocol: roce, tiers: {leaf: {switch: sn5600, per: [su, rail]}}}}
"""


def refused(tmp_path: Path, domain: str, **profiles: str) -> list[tuple[str, str, str]]:
    (tmp_path / "catalog" / "scale_up").mkdir(parents=True)
    for name, text in profiles.items():
        file = tmp_path / "catalog" / "scale_up" / f"{name.replace('_', '-')}.yaml"
        file.write_text(text, encoding="utf-8")
    blueprint = tmp_path / "b.yaml"
    blueprint.write_text(BLUEPRINT.replace("DOMAIN", domain), encoding="utf-8")
    with pytest.raises(InputError) as error:
        compile_design(str(blueprint))
    return [
        (d.code, Path(d.span.file).name, Path(d.span.file).read_text(encoding="utf-8").splitlines()[d.span.line - 1])
        for d in error.value.diagnostics
    ]


def shipped(name: str) -> str:
    return (BUILT_IN / "data" / "scale_up" / f"{name}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("asked", ["hgx-b200", "any-mesh"])
def test_links_of_other_switches_than_there_are(asked: str, tmp_path: Path) -> None:
    """Told of in the profile that the blueprint names, and in the one that only its nodes name."""
    wrong = shipped("hgx-b200").replace("switches: 2", "switches: 3")
    mesh = shipped("full-mesh").replace("id: full-mesh", "id: any-mesh")
    assert refused(tmp_path, asked, hgx_b200=wrong, any_mesh=mesh) == [
        ("FG010", "hgx-b200.yaml", "links_per_switch: [9, 9]")
    ]
