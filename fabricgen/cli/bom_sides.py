"""Bills of materials to compare: of a blueprint, a built folder or a file, each also in a git revision."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from fabricgen.cli.sides import compiled_side, listing_of, relabelled
from fabricgen.cluster import Cluster
from fabricgen.diff.bill.file import SUFFIXES, read_bom
from fabricgen.diff.git_tree import PREFIX, GitTree, open_tree
from fabricgen.diff.listing import Listing
from fabricgen.export.files import bom
from fabricgen.export.table import ExportContext
from fabricgen.kernel.text_input import MAX_BYTES

_LIST = "bom.csv"


def bill_at(place: str, prices: Mapping[str, float], *, allow_outside: bool) -> Listing:
    """The bill of a blueprint, of a built folder, of a bom.csv or bom.json, or of `git:REV:` with one of these.

    Raises InputError for anything else; locations in a revision are shown as `git:REV:path:line:col`.
    """
    with ExitStack() as stack:
        shown: dict[str, str] = {}
        stack.enter_context(relabelled(shown))
        if not place.startswith(PREFIX):
            return _bill(Path(place), place, prices, allow_outside=allow_outside)
        tree = open_tree(place)
        temporary = os.path.realpath(stack.enter_context(tempfile.TemporaryDirectory(prefix="fabricgen-git-")))
        shown[f"{temporary}/"] = tree.shown
        if tree.is_folder or tree.path.endswith(SUFFIXES):
            return read_bom(_written(tree, Path(temporary)))
        at = tree.write(Path(temporary), largest=MAX_BYTES, whole=allow_outside)
        return bill_listing(compiled_side(str(at), (), allow_outside, temporary), prices)


def _bill(at: Path, place: str, prices: Mapping[str, float], *, allow_outside: bool) -> Listing:
    if at.is_dir():
        return read_bom(at / _LIST)
    if at.suffix in SUFFIXES:
        return read_bom(at)
    return bill_listing(compiled_side(place, (), allow_outside, ""), prices)


def _written(tree: GitTree, folder: Path) -> Path:
    """The bill in a revision, written to a temporary folder; missing there if the revision has none."""
    name = _LIST if tree.is_folder else PurePosixPath(tree.path).name
    at = folder / (tree.path if tree.is_folder else PurePosixPath(tree.path).parent) / name
    at.parent.mkdir(parents=True, exist_ok=True)
    for content in tree.read([name]).values():
        at.write_bytes(content)
    return at


def bill_listing(cluster: Cluster, prices: Mapping[str, float]) -> Listing:
    """The bill that a build of a cluster would write."""
    return listing_of(bom.table(cluster, ExportContext(prices=prices)))
