"""The API: compile a blueprint and read the cluster; versioned semantically by `API_VERSION`.

This module, and what it names, is what notebooks and other packages may rely on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath

from fabricgen.export.locality import join_hostlist, make_label_value
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span
from fabricgen.plugins.columns import Columns
from fabricgen.plugins.dhcp import Clients, Subnets
from fabricgen.plugins.patching import Panels, Patches, Trunks
from fabricgen.plugins.paths import Path
from fabricgen.plugins.rules import ViewRule
from fabricgen.plugins.small_tables import Groups, Halls, Models, Places, Pools, Racks, Vlans
from fabricgen.plugins.tables import Addresses, Cables, Devices, Endpoints, Ends, Links
from fabricgen.plugins.traffic import Busbw, Steering
from fabricgen.plugins.view import API_VERSION, ClusterView
from fabricgen.reports.judgement import Case, Finding, Judgement, Suite
from fabricgen.reports.protocols import Protocol
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Flags, Floats, Ints64, join_components, rank_within

__all__ = [
    "API_VERSION",
    "Addresses",
    "Busbw",
    "Cables",
    "Case",
    "Clients",
    "ClusterView",
    "Columns",
    "Devices",
    "Diagnostic",
    "Endpoints",
    "Ends",
    "Finding",
    "Flags",
    "Floats",
    "Groups",
    "Halls",
    "InputError",
    "Ints64",
    "Judgement",
    "Links",
    "Models",
    "Panels",
    "Patches",
    "Path",
    "Places",
    "Pools",
    "Protocol",
    "Racks",
    "Severity",
    "Span",
    "Steering",
    "Subnets",
    "Suite",
    "Table",
    "Trunks",
    "ViewRule",
    "Vlans",
    "compile_blueprint",
    "join_components",
    "join_hostlist",
    "make_files",
    "make_label_value",
    "rank_within",
    "write_csv",
]


def write_csv(columns: Mapping[str, Sequence[str | int | float]]) -> bytes:
    """Return columns of one length as a CSV file, as a build writes its own: quotes only where a cell needs them.

    Raises ValueError if columns differ in length.
    """
    from fabricgen.reports.table import Table
    from fabricgen.reports.tables.csv import write

    return write(Table("", columns))


def compile_blueprint(
    path: str | PathLike[str], sets: Sequence[str] = (), *, phase: str | None = None, allow_outside: bool = False
) -> ClusterView:
    """Compile a blueprint as `build` does, with `sets` as of `--set` (`pods.p1.su=2`), and view the cluster.

    `phase` is one that the blueprint names; without it the cluster is whole. `allow_outside` permits includes from
    outside the folder of the blueprint. Raises InputError, with every fault and its place, where it cannot be built.
    """
    from fabricgen.pipeline import compile_cluster, compile_design

    return ClusterView(compile_cluster(compile_design(fspath(path), sets, allow_outside=allow_outside), phase))


def make_files(view: ClusterView, *parts: str) -> dict[str, bytes]:
    """Return the files of some parts of a build (`--only`), by path, as `build` writes them; without `parts` those of
    the usual ones.

    Raises InputError for a part that does not exist (FG030), or that cannot be made of this cluster.
    """
    from fabricgen.pipeline import BuildOptions, build_bundles

    bundles = build_bundles(view._cluster, dict, BuildOptions(parts=parts))
    files = (file for bundle in bundles for file in bundle.make())
    return {path: content if isinstance(content, bytes) else b"".join(content) for path, content in files}
