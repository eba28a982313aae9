"""What labs are made of: the files that builds of examples write."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tests.conftest import built_files
from tests.render.rendered import cluster_of

PARTS = ("addresses", "configs", "devices", "hosts", "links")


@cache
def built(name: str, *sets: str) -> Mapping[str, str]:
    """The files that a build of an example writes, by path."""
    return {path: content.decode() for path, content in built_files(cluster_of(name, *sets), *PARTS).items()}
