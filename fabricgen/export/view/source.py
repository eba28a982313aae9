"""What the blocks of the page are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fabricgen.cluster import Cluster
from fabricgen.export.view.layout import Scene, scene_of


@dataclass(frozen=True)
class PageSource:
    """A cluster, and its drawing, which several blocks share."""

    cluster: Cluster

    @cached_property
    def scene(self) -> Scene:
        """The fabric view."""
        return scene_of(self.cluster)
