"""The fabric view as a picture: the same bytes every time, one fabric if asked, and small at any size."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from fabricgen.export.view.boxes import list_oversubscription
from fabricgen.export.view.picture import draw_fabric_picture
from fabricgen.pipeline import compile_cluster, compile_design
from tests.conftest import BLUEPRINTS, example_cluster

GOLDEN = Path(__file__).parent / "leaf-spine.svg"


def test_picture_is_as_it_was(request: pytest.FixtureRequest) -> None:
    """The picture of leaf-spine is its golden file; `--regenerate` writes that anew."""
    made = draw_fabric_picture(example_cluster("leaf-spine"))
    if request.config.getoption("--regenerate"):
        GOLDEN.write_text(made, encoding="utf-8")
    assert made == GOLDEN.read_text(encoding="utf-8")


def test_picture_says_what_the_cluster_is() -> None:
    """It is one well-formed file without script, with names of groups, counts of links and a legend."""
    text = draw_fabric_picture(example_cluster("superpod-b200"))
    said = [
        "".join(element.itertext()) for element in ElementTree.fromstring(text).iter() if element.tag.endswith("text")
    ]
    assert {"superpod-b200 · 127 nodes · 1,016 accelerators", "compute spine · 16 x qm9700", "256 x 400G · 1:1"} <= set(
        said
    )
    assert "compute (infiniband)" in said
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_picture_of_one_fabric() -> None:
    """What the fabric does not join is left out; no other fabric is known."""
    cluster = example_cluster("superpod-b200")
    text = draw_fabric_picture(cluster, "storage")
    assert "storage (roce)" in text
    assert "infiniband" not in text
    assert "qm9700" not in text
    with pytest.raises(KeyError):
        draw_fabric_picture(cluster, "nothing")


def test_links_to_a_tier_of_another_fabric_have_its_ratio() -> None:
    """Spines of `compute` lead up to borders of `across`; links of management have no ratio of what they manage."""
    classes = example_cluster("two-site").plan.devices.classes
    ratios = {
        tuple(sorted(f"{classes[one].fabric} {classes[one].tier}" for one in ends)): ratio
        for ends, ratio in list_oversubscription(example_cluster("two-site")).items()
    }
    assert ratios["across border", "compute spine"] == 8
    assert ratios["across border",] == 2
    assert ("compute leaf", "oob leaf") not in ratios
    assert "G · 8:1" in draw_fabric_picture(example_cluster("two-site"))


@pytest.mark.slow
def test_large_cluster_is_a_small_picture() -> None:
    """200,000 GPUs are some thousand shapes."""
    text = draw_fabric_picture(compile_cluster(compile_design(str(BLUEPRINTS / "colossus-200k.yaml"))))
    assert text.count("<") < 4000
