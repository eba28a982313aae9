"""Parts of many files are built in portions, that workers can share: the same files in the same order."""

from __future__ import annotations

import pickle

import pytest

from fabricgen.export.drawings import book
from fabricgen.export.table import ExportContext, HasPortions, HasRows, list_part_names, load_part
from fabricgen.pipeline import BuildOptions, build_bundles
from tests.conftest import bytes_of, example_cluster


@pytest.mark.slow
@pytest.mark.parametrize("name", ["drawings", "graph", "technician"])
def test_portions_make_the_files_of_a_part_also_in_another_process(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book, "MOST_RACKS", 2)
    cluster, module = example_cluster("leaf-spine"), load_part(name)
    assert isinstance(module, HasPortions)
    bundles = build_bundles(cluster, dict, BuildOptions((name,)))
    assert len({bundle.key for bundle in bundles}) == len(bundles) > 1
    assert {bundle.part for bundle in bundles} == {name}
    at_once = [(path, bytes_of(content)) for path, content in module.files(cluster, ExportContext())]
    shared = [file for bundle in bundles for file in pickle.loads(pickle.dumps(bundle)).make()]
    assert [(path, bytes_of(content)) for path, content in shared] == at_once


def test_parts_that_say_how_many_rows_they_have_have_them() -> None:
    cluster = example_cluster("patched-hall")
    parts = {name: load_part(name) for name in list_part_names(on_request=False)}
    stated = {name: module.rows(cluster) for name, module in parts.items() if isinstance(module, HasRows)}
    for name in ("devices", "panels", "patches", "racks", "trunks"):
        ((_, content),) = parts[name].files(cluster, ExportContext())
        assert bytes_of(content).count(b"\n") - 1 == stated[name] > 0, name
    assert stated["summary"] < stated["bom"] < len(cluster.plan.links)


def test_large_tables_say_roughly_how_long_they_take_for_links() -> None:
    cluster = example_cluster("patched-hall")
    sizes = {}
    for name in ("links", "cables", "addresses", "endpoints"):
        ((_, content),) = load_part(name).files(cluster, ExportContext())
        sizes[name] = len(bytes_of(content))
    for name in sizes.keys() - {"links"}:
        module = load_part(name)
        assert isinstance(module, HasRows)
        stated, measured = module.rows(cluster) / len(cluster.plan.links), sizes[name] / sizes["links"]
        assert 1 / 2 < stated / measured < 2, name
