"""Parts of a build that are made of the view: those of other packages (entry points `fabricgen.outputs`), and our
add-ons.

Each is a function of the view that yields (path, text or bytes). Its name is that of the part, and its files are in a
folder of that name, so that parts do not get in each other's way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from fabricgen import __version__
from fabricgen.cluster import Cluster
from fabricgen.kernel.discovery import list_modules
from fabricgen.kernel.entry_points import OWN, EntryPoint, blame_plugin, list_entry_points
from fabricgen.publish.manifest import check_path, list_ancestors

GROUP = "fabricgen.outputs"
ADDONS = "fabricgen.addons"
"""The room of our own: modules with a function `files`."""
MOST_FILES, MOST_BYTES = 1_000_000, 4 << 30
"""Of one output: a generator without an end would fill the disk."""
_LONGEST = 255
"""Bytes in a name of a file: Linux's NAME_MAX."""
_END = object()
_NAME = re.compile(r"[a-z][a-z0-9-]*")


def list_output_names() -> frozenset[str]:
    """Return the names of parts that other packages offer; none is loaded."""
    return frozenset(entry.name for entry in list_entry_points(GROUP))


def list_addon_names() -> frozenset[str]:
    """Return the names of parts that our add-ons make; none is loaded."""
    return frozenset(name.replace("_", "-") for name in list_modules(ADDONS))


def check_output(name: str, reserved_names: Collection[str]) -> None:
    """Raise InputError (FG870) if several packages offer a part, if its name cannot be that of a folder, or if the name
    is among `reserved_names`.
    """
    first, *duplicates = _list_offers(name)
    if not _NAME.fullmatch(name):
        raise first.make_error("its name is that of no folder", "small letters, digits and hyphens name a part")
    if name in reserved_names:
        raise first.make_error("fabricgen has a part of this name", f"uninstall {first.package}, or rename its output")
    if duplicates:
        raise duplicates[0].make_error(f"{first.package} has an output of this name too", "uninstall one of them")


def make_output_files(name: str, cluster: Cluster) -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) of the files of a part, in a folder of its name.

    Raises InputError (FG870) if the part fails, or yields what is no file, a path that leaves its folder, or a path
    twice.
    """
    if name in list_addon_names():
        entry = EntryPoint(GROUP, name, OWN, __version__, f"{ADDONS}.{name.replace('-', '_')}:files")
    else:
        entry = _list_offers(name)[0]
    files, folders, size = set[str](), set[str](), 0
    for path, content in _run_output(entry, cluster):
        size += len(content)
        if len(files) == MOST_FILES or size > MOST_BYTES:
            limit = f"{MOST_FILES:,} files or {MOST_BYTES >> 20:,} MiB"
            raise entry.make_error(f"it yields more than {limit}", "an output ends, and writes less than that")
        # checked before it is written: a path that is a file here and a folder there cannot land
        parents = set(list_ancestors(path))
        if not _is_path(path):
            raise entry.make_error(f"it yields the path {path!r}", "write one below the output, such as racks/r01.txt")
        if path in files:
            raise entry.make_error(f"it yields the path {path!r} twice")
        if path in folders or parents & files:
            raise entry.make_error(f"it yields the path {path!r}, of which a part is both a file and a folder")
        files.add(path)
        folders |= parents
        yield f"{name}/{path}", content


def _is_path(path: str) -> bool:
    """Whether a path stays below its folder, is printable, and has names that file systems take."""
    try:
        check_path(path)
    except ValueError:
        return False
    return path.isprintable() and all(len(step.encode()) <= _LONGEST for step in path.split("/"))


def _list_offers(name: str) -> list[EntryPoint]:
    """Return the entry points that other packages have for a part, in the order of discovery."""
    return [entry for entry in list_entry_points(GROUP) if entry.name == name]


def _run_output(entry: EntryPoint, cluster: Cluster) -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) as a part makes them; raises InputError (FG870) that names the package if it breaks the
    rules.
    """
    # loads the whole view, which builds without such parts do not need
    from fabricgen.plugins.view import ClusterView

    make = entry.load()
    if not callable(make):
        raise entry.make_error("it cannot be called", "an output is a function of the view")
    with blame_plugin(entry):
        yielded: object = make(ClusterView(cluster))
    if isinstance(yielded, str | bytes) or not isinstance(yielded, Iterable):
        raise entry.make_error(f"it returns {type(yielded).__name__}", "yield (path, text or bytes)")
    with blame_plugin(entry):
        files = iter(yielded)
    while True:
        with blame_plugin(entry):
            file = next(files, _END)
            if file is _END:
                return
            if not (isinstance(file, tuple) and len(file) == 2 and isinstance(file[0], str)):
                raise entry.make_error(f"it yields {type(file).__name__}", "yield (path, text or bytes)")
            path, content = file
            if not isinstance(content, str | bytes):
                raise entry.make_error(f"{path!r} is {type(content).__name__}", "yield (path, text or bytes)")
            encoded = content.encode() if isinstance(content, str) else content
        yield path, encoded
