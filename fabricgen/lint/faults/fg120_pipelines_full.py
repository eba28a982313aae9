"""A switch's pipelines serve fewer ports than are needed."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class PipelinesFull(Fault):
    """The cages of a switch have the lanes for all ports, and the pipelines of its ASIC cannot serve so many.

    A pipeline serves a fixed number of ports, however its cages are split: on Celestica's DS5000 two cages share one
    of ten, so that one cage split into eight leaves two ports to the other. The catalogue lists pipelines with their
    source. Spread the ports over more switches, or take one whose ASIC serves them.
    """

    id = "FG120"
    title = "pipelines serve fewer ports than are needed"
    bad = """
        scalable_unit: {nodes: 40 x dgx-b300-8p}
        pods: {p1: {su: 1}}
        fabrics: {compute: {planes: 8, oversubscription: "8:1", tiers: {
          leaf: {switch: ds5000, per: [su, plane], count: 1, uplinks: 8 x 800G}}}}  # <-
    """
    good = """
        scalable_unit: {nodes: 40 x dgx-b300-8p}
        pods: {p1: {su: 1}}
        fabrics: {compute: {planes: 8, oversubscription: "8:1", tiers: {
          leaf: {switch: sn5640, per: [su, plane], count: 1, uplinks: 16 x 400G}}}}
    """
