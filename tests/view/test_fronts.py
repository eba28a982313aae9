"""The fronts of models: every cage that a cable plugs into is there once, inside the front, beside the others."""

from __future__ import annotations

import pytest

from fabricgen.export.view.blocks import faces
from fabricgen.export.view.blocks.faces import DrawnCage, list_fronts
from fabricgen.export.view.source import PageSource
from tests.conftest import example_cluster

EXAMPLES = ("full-cluster", "modular-spine", "superpod-b300", "tpu-torus", "ualink-pod")


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_end_of_a_cable_has_its_cage(name: str):
    cluster = example_cluster(name)
    plan, found = cluster.plan, list_fronts(cluster)
    ports = {model: {cage.label: cage.ports for cage in cages} for model, cages in found.items()}
    ends = zip((plan.links.a_device, plan.links.b_device), cluster.port_names.cage_columns, strict=True)
    for device, cages in ends:
        models = plan.devices.device_class[device[plan.links.cable >= 0]]
        labels = cages.texts()[plan.links.cable >= 0]
        for number, label in sorted(set(zip(models.tolist(), labels.tolist(), strict=True))):
            assert ports[plan.devices.classes[number].profile.id][label] > 0


@pytest.mark.parametrize("name", EXAMPLES)
def test_cages_do_not_overlap_and_lie_on_the_front(name: str):
    for cages in list_fronts(example_cluster(name)).values():
        assert len({cage.label for cage in cages}) == len(cages)
        assert all(c.x >= 0 and c.y >= 0 and c.x + c.w <= 1 and c.y + c.h <= 1 for c in cages)
        by_left = sorted(cages, key=lambda cage: cage.x)
        for i, one in enumerate(by_left):
            for other in by_left[i + 1 :]:
                if other.x >= one.x + one.w:
                    break
                assert not _overlap(one, other), (one, other)


def _overlap(a: DrawnCage, b: DrawnCage) -> bool:
    return a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h


def test_the_block_names_a_twin_port_cage_with_its_ports():
    qm9700 = faces.block(PageSource(example_cluster("full-cluster")))["qm9700"]
    assert qm9700["units"] == 1
    assert qm9700["cages"][0][4:] == ["1", 2]
