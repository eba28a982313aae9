"""Bills of materials to compare: of a blueprint, a built folder or a file, each also in a git revision."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

import click

from fabricgen.cli.built_archives import BuiltPlaces, rename_in_messages
from fabricgen.cli.sides import compile_side, convert_table, sum_optics_in_devices, write_tree_files
from fabricgen.cluster import Cluster
from fabricgen.diff.bill import BOM_FILE, RACKS_FILE, SUFFIXES, Bill, read_bom, read_built_bom
from fabricgen.diff.git_tree import PREFIX, open_tree
from fabricgen.export.files import bom
from fabricgen.export.table import ExportContext
from fabricgen.kernel.text_input import MAX_BYTES, read_regular
from fabricgen.publish.manifest import MANIFEST
from fabricgen.publish.reading import PENDING, Surroundings, open_built


def read_bill(source: str, prices: Mapping[str, float], *, allow_outside: bool) -> Bill:
    """Return the bill of a blueprint, of a built folder, of a bom.csv or bom.json, or of `git:REV:` with one of these.

    Raises InputError for anything else; locations in a revision are shown as `git:REV:path:line:col`.
    """
    with ExitStack() as stack:
        shown: dict[str, str] = {}
        stack.enter_context(rename_in_messages(shown))
        if not source.startswith(PREFIX):
            return _read_bill(
                Path(BuiltPlaces(stack, shown).folder_of(source)), source, prices, allow_outside=allow_outside
            )
        tree = open_tree(source)
        temporary = os.path.realpath(stack.enter_context(tempfile.TemporaryDirectory(prefix="fabricgen-git-")))
        shown[f"{temporary}/"] = tree.shown
        if tree.is_folder:
            return read_built_bom(
                open_built(
                    write_tree_files(tree, Path(temporary) / tree.path, (BOM_FILE, RACKS_FILE, MANIFEST, *PENDING))
                )
            )
        if tree.path.endswith(SUFFIXES):
            file = PurePosixPath(tree.path)
            return read_bom(write_tree_files(tree, Path(temporary) / file.parent, (file.name,)) / file.name), None
        path = tree.write(Path(temporary), largest=MAX_BYTES, whole=allow_outside)
        return make_bill(compile_side(str(path), (), allow_outside, temporary), prices)


def _read_bill(path: Path, source: str, prices: Mapping[str, float], *, allow_outside: bool) -> Bill:
    # the bill of a built folder, of a file of a bill, which may be edited, or of a blueprint, which is compiled
    if path.is_dir():
        return read_built_bom(open_built(path))
    if path.suffix in SUFFIXES:
        bill = read_bom(path)
        _tell_if_edited(path)
        return bill, None
    return make_bill(compile_side(source, (), allow_outside, ""), prices)


def _tell_if_edited(file: Path) -> None:
    """Say of a bill that was named by itself that it is not as it was built: it is compared as it stands."""
    in_build = Surroundings().of(file)
    if in_build is not None and in_build[0].is_edited(in_build[1], read_regular(file)):
        click.echo(f"{file} is not as built (sha256 differs from {MANIFEST}); it is compared as it stands", err=True)


def make_bill(cluster: Cluster, prices: Mapping[str, float]) -> Bill:
    """Return the bill that a build of a cluster would write."""
    return convert_table(bom.make_table(cluster, ExportContext(prices=prices))), sum_optics_in_devices(cluster)
