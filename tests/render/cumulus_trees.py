"""Switches on Cumulus Linux and what their files say, for the tests of this folder."""

from __future__ import annotations

from typing import Any

import yaml
from nvue_model import faults

from fabricgen.render.engine import Renderer, RenderOptions
from fabricgen.views.switch import SwitchView
from tests.render.rendered import CUMULUS, cluster_of, startup

LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-01"
HOSTILE = 'n1\n- set: {x: y}\r\n"},\u2028{"x": \\ ?\x1b[31m: # é\U0001f600 %TAG !'
SN5600 = ("fabrics.compute.tiers.leaf.switch=sn5600", "fabrics.compute.tiers.spine.switch=sn5600")


def switch_of(name: str, device: str, *sets: str) -> SwitchView:
    return next(s for s in cluster_of(name, *CUMULUS, *sets).switches() if s.name == device)


def text_of(switch: SwitchView) -> str:
    catalog = cluster_of("leaf-spine").design.catalog
    ((_, content),) = Renderer(RenderOptions()).files(switch, catalog)
    return content.decode()


def tree_of(switch: SwitchView) -> dict[str, Any]:
    """What a switch's file says to readers of YAML 1.2 and 1.1 alike, which the model of NVUE takes."""
    text = text_of(switch)
    tree = startup({"configs/x/startup.yaml": text}, "x")
    assert yaml.load(text, yaml.CSafeLoader) == [{"set": tree}]  # PyYAML reads YAML 1.1
    assert list(faults(tree)) == []
    return tree
