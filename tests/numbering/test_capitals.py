"""Host names in capitals, as many a running fabric has them; DNS tells no names apart by them (RFC 4343)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.pipeline import compile_cluster, compile_design
from tests.conftest import Ran, built_files

FabricGen = Callable[..., Ran]
BLUEPRINT = """\
fabricgen: 1
name: capitals
scalable_unit: {nodes: 2 x dgx-h100}
pods: {p1: {su: 1}}
names: NAMES
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600}}
    extra: {array: {device: storage-array, names: [AR-1, AR-2], to: leaf, attach: storage}}
"""
NAMES = "{switches: 'DC1-{tier}-SW{n:02}', nodes: 'GPU{node:03}', devices: {DC1-leaf-SW01: DC1-LEAF-A}}"


@pytest.fixture
def blueprint(tmp_path: Path) -> Callable[[str], Path]:
    """A small fabric with some names."""

    def written(names: str) -> Path:
        file = tmp_path / "capitals.yaml"
        file.write_text(BLUEPRINT.replace("NAMES", names), encoding="utf-8")
        return file

    return written


def test_templates_single_devices_and_extra_devices(blueprint: Callable[[str], Path], fabricgen: FabricGen) -> None:
    file = blueprint(NAMES)
    assert fabricgen("lock", file).code == 0
    cluster = compile_cluster(compile_design(str(file)))
    assert set(cluster.names) == {"GPU001", "GPU002", "DC1-LEAF-A", "AR-1", "AR-2"}
    files = built_files(cluster, "kubernetes", "configs")
    assert b'name: "gpu001"' in b"".join(text for path, text in files.items() if path.startswith("kubernetes"))
    assert b'"hostname": "DC1-LEAF-A"' in files["configs/DC1-LEAF-A/config_db.json"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("NAMES", "{devices: {p1-su01-n001: ar-1}}", "named AR-1 and ar-1"),
        ("AR-2", "ar-1", "named ar-1 and AR-1"),
    ],
)
def test_names_that_differ_in_capitals_alone_are_one_name(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "capitals.yaml"
    file.write_text(BLUEPRINT.replace(old, new).replace("NAMES", "{}"), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        compile_cluster(compile_design(str(file)))
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "FG035"
    assert f"two devices would be {said}, which resolvers of names take for one" in diagnostic.message


def test_names_are_adopted_as_they_are(blueprint: Callable[[str], Path], fabricgen: FabricGen, tmp_path: Path) -> None:
    file, have = blueprint("{}"), tmp_path / "have.csv"
    have.write_text("device,name\ncompute-leaf-01,LEAF-A\n", encoding="utf-8")
    assert fabricgen("lock", file, "--import", have).code == 0
    assert "LEAF-A" in compile_cluster(compile_design(str(file))).names
