"""What the blocks of the page are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.export.view.layout import Scene, scene_of
from fabricgen.export.view.verification import Verification
from fabricgen.kernel.diagnostics import Diagnostic


@dataclass(frozen=True)
class Beside:
    """What is known of a cluster beside it: findings of lint, a change, as `blocks.changes` shows it, what `verify`
    says of its hall, and (path, content) of its configurations, where they are few.
    """

    findings: Sequence[Diagnostic] = ()
    changes: Mapping[str, Any] | None = None
    configs: Sequence[tuple[str, bytes]] = ()
    verification: Verification | None = None


@dataclass(frozen=True)
class PageSource:
    """A cluster, and its drawing, which several blocks share."""

    cluster: Cluster
    beside: Beside = field(default_factory=Beside)

    @cached_property
    def scene(self) -> Scene:
        """The fabric view."""
        return scene_of(self.cluster)
