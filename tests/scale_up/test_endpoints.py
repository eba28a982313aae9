"""endpoints.csv: every accelerator, its domain, and the NIC ports that links.csv says lead to the same leaf."""

from __future__ import annotations

from collections import Counter

import pytest

from fabricgen.catalog.models import NodeProfile
from fabricgen.export.files import endpoints, links
from fabricgen.export.table import list_part_names
from fabricgen.wiring.tables import NODE
from tests.conftest import EXAMPLES, example_cluster

COLUMNS = "node,accelerator,domain,fabric,nic,port,rail,plane,leaf,leaf_port,speed_gbps"


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_accelerator_is_there_and_its_ports_agree_with_the_links(name: str) -> None:
    cluster = example_cluster(name)
    table = endpoints.make_table(cluster)
    assert ",".join(table.columns) == COLUMNS + ",spare" * bool(cluster.design.layout.spare)
    wanted = set()
    for cls in cluster.plan.devices.classes:
        if cls.kind == NODE and isinstance(cls.profile, NodeProfile) and cls.profile.accelerators:
            wanted |= {(n, a) for n in cluster.names[cls.rows] for a in range(cls.profile.accelerators.count)}
    found = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
    assert {(row["node"], row["accelerator"]) for row in found} == wanted
    listed = {
        (row["fabric"], row["a_device"], row["a_port"]): (row["b_device"], row["b_port"], row["rail"], row["plane"])
        for row in (dict(zip(t.columns, r, strict=True)) for t in [links.make_table(cluster)] for r in t.rows())
    }
    for row in found:
        if row["fabric"]:
            end = listed[row["fabric"], row["node"], row["port"]]
            assert end == (row["leaf"], row["leaf_port"], row["rail"], row["plane"])
    assert max(Counter((r["fabric"], r["node"], r["port"]) for r in found if r["fabric"]).values(), default=1) == 1


def of(name: str, accelerator: int) -> list[dict[str, object]]:
    """Rows of one accelerator of the first node."""
    cluster = example_cluster(name)
    table = endpoints.make_table(cluster)
    found = (dict(zip(table.columns, row, strict=True)) for row in table.rows())
    return [row for row in found if (row["node"], row["accelerator"]) == (cluster.names[0], accelerator)]


def test_it_is_one_of_the_usual_parts() -> None:
    assert "endpoints" in list_part_names(on_request=False)


def test_a_gpu_has_the_rail_of_its_nic_in_each_plane() -> None:
    first, second = of("superpod-b300", 3)
    assert (first["rail"], first["plane"], second["plane"]) == ("4", "1", "2")
    assert first["domain"] == "nvlink-p1-su01-n001"


def test_domains_have_stable_readable_names() -> None:
    assert {row["domain"] for row in of("nvl72-gb200", 0)} == {"nvlink-p1-su01-rk01"}
    assert {row["domain"] for row in of("ualink-pod", 0)} == {"ualink-p1-su01-rk01-rk02"}
    assert {row["domain"] for row in of("tpu-torus", 0)} == {"ici-p1"}


def test_an_accelerator_without_a_nic_has_a_row() -> None:
    (row,) = of("tpu-torus", 3)
    assert (row["fabric"], row["nic"], row["leaf"], row["speed_gbps"]) == ("", "", "", "")


def test_ports_are_shared_out_in_order_where_the_profile_does_not_say() -> None:
    assert [row["port"] for row in of("gaudi3", 1)] == ["OSFP1/4", "OSFP2/1", "OSFP2/2"]
    assert {row["nic"] for row in of("nvl72-gb200", 2)} == {"mlx5_4"}
