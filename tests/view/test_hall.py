"""The floor as it is drawn: every rack once, none over another, and devices inside their racks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fabricgen.export.view.blocks import faces, hall
from fabricgen.export.view.hall import hall_drawing
from fabricgen.export.view.source import PageSource
from tests.conftest import example_cluster

EXAMPLES = ("end-of-row", "full-cluster", "patched-hall", "superpod-b300", "tpu-torus", "two-site")


def centres(cluster: Any) -> Any:
    """(x, y) of the middle of every rack in the drawing, m."""
    racks, shift = cluster.plan.racks, np.array(hall_drawing(cluster).shift)
    return np.stack([racks.x_m, racks.y_m], axis=1) + shift[racks.hall]


@pytest.mark.parametrize("name", EXAMPLES)
def test_racks_are_drawn_once_apart_and_in_their_hall(name: str) -> None:
    cluster = example_cluster(name)
    racks, drawn, at = cluster.plan.racks, hall_drawing(cluster), centres(cluster)
    assert hall.block(PageSource(cluster))["racks"]["rows"] == len(racks)
    kinds = [(min(k.width_m, h.rack_pitch_m), k.depth_m) for k in racks.kinds for h in racks.halls[:1]]
    size = np.array(kinds)[racks.kind]
    for i in range(len(racks)):
        apart = np.abs(at - at[i])
        touch = ((apart < (size + size[i]) / 2 - 1e-6).all(axis=1)).sum()
        assert touch == 1  # itself
        x, y, w, h = drawn.halls[int(racks.hall[i])]
        left, top = np.array([x, y]) + drawn.shift[int(racks.hall[i])]
        assert left <= at[i][0] - size[i][0] / 2
        assert at[i][0] + size[i][0] / 2 <= left + w
        assert top <= at[i][1] - size[i][1] / 2
        assert at[i][1] + size[i][1] / 2 <= top + h


@pytest.mark.parametrize("name", EXAMPLES)
def test_devices_are_inside_their_racks_and_apart(name: str) -> None:
    cluster = example_cluster(name)
    block, devices = faces.block(PageSource(cluster)), cluster.plan.devices
    high = np.array([block[cls.profile.id]["units"] for cls in devices.classes])[devices.device_class]
    assert (devices.u >= 1).all()
    assert (devices.u + high - 1 <= cluster.plan.racks.units[devices.rack]).all()
    order = np.lexsort((devices.u, devices.rack))
    same = devices.rack[order][1:] == devices.rack[order][:-1]
    assert (devices.u[order][1:] >= (devices.u + high)[order][:-1])[same].all()


def test_sites_lie_beside_each_other() -> None:
    drawn = hall.block(PageSource(example_cluster("two-site")))
    east, west = (h["box"] for h in drawn["halls"])
    assert east[0] + east[2] < west[0] or east[1] + east[3] < west[1]
    assert max(h[0] + h[2] for h in (east, west)) == drawn["size"][0]
