"""Checks of config_db.json: by the schema of SONiC's YANG models, and what these do not check."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import did_you_mean
from fabricgen.render.checks.lanes import PlatformLanes, check_lanes, platform_lanes
from fabricgen.render.checks.management_relations import check_management
from fabricgen.render.checks.problem import Problem
from fabricgen.render.checks.relations import check_relations, check_segments, overlapping_queues
from fabricgen.render.checks.rows import check_rows
from fabricgen.render.checks.shape import Tables, join_lists, read_tables

METADATA = "DEVICE_METADATA"


def check_config_db(data: object, catalog: Catalog) -> tuple[Problem, ...]:
    """All problems of a config_db.json, given as parsed JSON.

    The platform is that of DEVICE_METADATA; if the catalogue has no port table for it, lanes and speeds are not
    checked, and a problem that is not `grave` says so.
    """
    rows, misshapen = read_tables(data)
    tables = join_lists(rows)
    found = [*misshapen, *check_rows(rows), *check_relations(tables), *check_management(tables)]
    found += overlapping_queues(tables)
    found += [*check_segments(tables), *_platform(tables, catalog)]
    return tuple(dict.fromkeys(found))


def _platform(tables: Tables, catalog: Catalog) -> Iterator[Problem]:
    own = tables.get(METADATA, {}).get("localhost", {})
    name, hwsku = own.get("platform", ""), own.get("hwsku", "")
    face = _face(catalog, name)
    if face is None:
        found = f"'{name}' has no port table in the catalogue" if name else "the platform is not named"
        yield Problem(METADATA, "localhost", "platform", found, "lanes and speeds are not checked", grave=False)
        return
    if hwsku not in face.platform.hwskus:
        yield Problem(METADATA, "localhost", "hwsku", f"'{hwsku}'", did_you_mean(hwsku, face.platform.hwskus))
    yield from check_lanes(tables, face)


@lru_cache(maxsize=64)
def _face(catalog: Catalog, name: str) -> PlatformLanes | None:
    platform = catalog.sonic_platform_named(name)
    return platform_lanes(platform, catalog) if platform else None
