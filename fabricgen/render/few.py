"""The configurations of clusters that are small enough to be read in one place."""

from __future__ import annotations

from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import InputError
from fabricgen.render.engine import render_configs

MOST_BYTES = 2_000_000
MOST_SWITCHES = 1000
"""Switches whose configurations are sure to be larger."""


def few_configs(cluster: Cluster) -> list[tuple[str, bytes]]:
    """(path, content) of every configuration, with references in place of secrets.

    Empty where they are larger than `MOST_BYTES` together, or where one cannot be rendered.
    """
    found, size = list[tuple[str, bytes]](), 0
    if len(cluster.switch_rows()) > MOST_SWITCHES:
        return found
    try:
        for path, content in render_configs(cluster):
            size += len(content)
            if size > MOST_BYTES:
                return []
            found.append((path, content))
    except InputError:
        return []
    return found
