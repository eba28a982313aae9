"""Bills of materials to compare: of a blueprint, a built folder or a file, each also in a git revision."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

import click

from fabricgen.cli.built_archives import BuiltPlaces, rename_in_messages
from fabricgen.cli.sides import compiled_side, in_devices_of, listing_of, write_tree_files
from fabricgen.cluster import Cluster
from fabricgen.diff.bill import LIST, RACKS, SUFFIXES, Bill, built_bom, read_bom
from fabricgen.diff.git_tree import PREFIX, open_tree
from fabricgen.export.files import bom
from fabricgen.export.table import ExportContext
from fabricgen.kernel.text_input import MAX_BYTES, read_regular
from fabricgen.publish.manifest import MANIFEST
from fabricgen.publish.reading import PENDING, Surroundings, open_built


def bill_at(place: str, prices: Mapping[str, float], *, allow_outside: bool) -> Bill:
    """The bill of a blueprint, of a built folder, of a bom.csv or bom.json, or of `git:REV:` with one of these.

    Raises InputError for anything else; locations in a revision are shown as `git:REV:path:line:col`.
    """
    with ExitStack() as stack:
        shown: dict[str, str] = {}
        stack.enter_context(rename_in_messages(shown))
        if not place.startswith(PREFIX):
            return _bill(Path(BuiltPlaces(stack, shown).folder_of(place)), place, prices, allow_outside=allow_outside)
        tree = open_tree(place)
        temporary = os.path.realpath(stack.enter_context(tempfile.TemporaryDirectory(prefix="fabricgen-git-")))
        shown[f"{temporary}/"] = tree.shown
        if tree.is_folder:
            return built_bom(
                open_built(write_tree_files(tree, Path(temporary) / tree.path, (LIST, RACKS, MANIFEST, *PENDING)))
            )
        if tree.path.endswith(SUFFIXES):
            file = PurePosixPath(tree.path)
            return read_bom(write_tree_files(tree, Path(temporary) / file.parent, (file.name,)) / file.name), None
        at = tree.write(Path(temporary), largest=MAX_BYTES, whole=allow_outside)
        return bill_listing(compiled_side(str(at), (), allow_outside, temporary), prices)


def _bill(at: Path, place: str, prices: Mapping[str, float], *, allow_outside: bool) -> Bill:
    if at.is_dir():
        return built_bom(open_built(at))
    if at.suffix in SUFFIXES:
        bill = read_bom(at)
        _tell_if_edited(at)
        return bill, None
    return bill_listing(compiled_side(place, (), allow_outside, ""), prices)


def _tell_if_edited(file: Path) -> None:
    """Say of a bill that was named by itself that it is not as it was built: it is compared as it stands."""
    found = Surroundings().of(file)
    if found is not None and found[0].is_edited(found[1], read_regular(file)):
        click.echo(f"{file} is not as built (sha256 differs from {MANIFEST}); it is compared as it stands", err=True)


def bill_listing(cluster: Cluster, prices: Mapping[str, float]) -> Bill:
    """The bill that a build of a cluster would write."""
    return listing_of(bom.make_table(cluster, ExportContext(prices=prices))), in_devices_of(cluster)
