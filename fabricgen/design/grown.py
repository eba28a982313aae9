"""The design with every reserved scalable unit in place, sized as growth would size it."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.blueprint.models import Pod
from fabricgen.design.build import size_fabrics
from fabricgen.design.layout import lay_out
from fabricgen.design.model import Design
from fabricgen.design.scale_up.domains import design_scale_up
from fabricgen.design.tier_order import rank_fabric
from fabricgen.design.tiers import FabricContext


def list_growing_pods(design: Design) -> dict[str, Pod]:
    """Return the pods of the blueprint that have reserved units which do not exist yet, by their keys."""
    return {name: pod for name, pod in design.loaded.blueprint.pods.items() if pod.slots > pod.su}


def grow_design(design: Design) -> Design:
    """Return the design with its reserves filled; raises InputError if it cannot be wired then."""
    pods = {
        name: pod.model_copy(update={"su": pod.slots, "nodes": None}) for name, pod in list_growing_pods(design).items()
    }
    blueprint = design.loaded.blueprint
    blueprint = blueprint.model_copy(update={"pods": {**blueprint.pods, **pods}})
    layout = lay_out(blueprint, design.catalog, design.loaded.lock)
    scale_up = design_scale_up(blueprint, design.catalog, layout)
    fabrics = size_fabrics(FabricContext(blueprint, design.catalog, layout), scale_up, advise=False)
    ordered = tuple(fabrics[name] for name in sorted(fabrics, key=rank_fabric))
    return Design(replace(design.loaded, blueprint=blueprint), design.catalog, layout, ordered, scale_up)
