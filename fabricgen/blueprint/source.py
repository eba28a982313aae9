"""The text of a blueprint, with its includes and `--set` values put together."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple

from fabricgen.blueprint.overlays import apply_set, lay_over
from fabricgen.kernel.diagnostics import InputError, Span, fault
from fabricgen.kernel.text_input import MAX_BYTES, read_bytes
from fabricgen.yaml.located import Include, Located, locate_tree
from fabricgen.yaml.tree import (
    MAX_DEPTH,
    Anchor,
    MappingEntry,
    Node,
    describe_kind,
    make_mapping,
    make_sequence,
    parse_tree,
)

MAX_INCLUDE_DEPTH = 16
"""How many files may include one another in a chain."""

MAX_FILES = 256
"""How many files may be included, each counted as often as it is."""

MAX_VALUES = 1_000_000
"""How many values all included files may hold together."""

ENDINGS = (".yaml", ".yml", ".json")
"""The endings of files that may be included."""

STDIN = "<stdin>"
"""The name of standard input in spans."""


def read_source(
    blueprint: str,
    *,
    sets: Sequence[str] = (),
    allow_outside: bool = False,
    unsaved: Mapping[str, bytes] | None = None,
) -> Located:
    """Read a blueprint (`-` is standard input), lay it over what it includes, and apply `sets` (PATH=VALUE).

    Included files must lie in the blueprint's folder or below, unless `allow_outside`. Top-level keys that begin with
    `x-` are dropped. `unsaved` has the content of files that are not saved, by the names that spans carry. Raises
    InputError: FG001 to FG006 for a file that cannot be read or parsed, FG007 for an include that is not allowed, FG008
    for a bad setting.
    """
    if blueprint == "-":
        tree, start = parse_tree(_read_stdin(), STDIN), _Place(Path(), (STDIN,), 0)
    else:
        file = Path(blueprint)
        tree = parse_tree((unsaved or {}).get(str(file)) or read_bytes(file, str(file)), str(file))
        start = _Place(file.parent, (os.path.realpath(file),), 0)
    reader = _Reader(os.path.realpath(start.folder), allow_outside, unsaved or {})
    tree = reader.resolve_includes(tree, start)
    for setting in sets:
        tree = apply_set(tree, setting)
    return locate_tree(tree)._replace(idle=tuple(dict.fromkeys(reader.idle)))


def _read_stdin() -> bytes:
    """Return standard input, one byte over the limit at most. Raises InputError (FG001) if it cannot be read."""
    if sys.stdin is None:
        raise fault("FG001", "cannot read standard input: it is closed", span=Span(STDIN, 1, 1))
    try:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise fault("FG001", f"cannot read standard input: {error}", span=Span(STDIN, 1, 1)) from None


class _Place(NamedTuple):
    """Where a node is: the folder of its file, the real paths of the files that led to it, and how deep it is
    nested.
    """

    folder: Path
    chain: tuple[str, ...]
    depth: int


class _Reader:
    """Reads the files that a blueprint includes, and counts files and values, which are limited."""

    def __init__(self, root: str, allow_outside: bool, unsaved: Mapping[str, bytes]) -> None:
        self._root, self._unsaved, self._allow_outside = root, unsaved, allow_outside
        self.idle: list[Anchor] = []
        self._files = self._values = 0
        self._parsed: dict[tuple[str, Path], Node] = {}

    def resolve_includes(self, tree: Node, place: _Place) -> Node:
        """Return the tree of one file with all includes resolved and without its `x-` keys. Raises InputError (FG001 to
        FG007) like `_load_include`.
        """
        self.idle += tree.idle
        if not isinstance(tree.value, dict):
            return self._replace_includes(tree, place)
        entries = dict(tree.value)
        include = entries.pop("include", None)
        body = self._replace_includes(make_mapping(entries, tree.span), place)
        base: Node | None = None
        for target in _list_targets(include) if include else ():
            included = self._load_include(target, place)
            if not isinstance(included.value, dict):
                message = f"'{target.value}' holds {describe_kind(included)}, not a mapping"
                raise _make_refusal(message, target.span, "include it as a value: key: !include file.yaml")
            base = lay_over(base, included) if base else included
        merged = lay_over(base, body) if base else body
        return make_mapping({k: v for k, v in merged.value.items() if not k.startswith("x-")}, merged.span)

    def _replace_includes(self, node: Node, place: _Place) -> Node:
        """Return a tree in which the content of its file replaces each `!include`."""
        if not node.has_include:
            return node
        nested = place._replace(depth=place.depth + 1)
        if isinstance(node.value, dict):
            entries = {k: MappingEntry(e.key, self._replace_includes(e.node, nested)) for k, e in node.value.items()}
            return make_mapping(entries, node.span, node.used)
        if isinstance(node.value, tuple):
            return make_sequence(tuple(self._replace_includes(n, nested) for n in node.value), node.span, node.used)
        return self._load_include(Node(node.value.target, node.span), place).used_at(node.used or node.span)

    def _load_include(self, target: Node, place: _Place) -> Node:
        """Return the tree of the file that `target` names, with all that it includes. Raises InputError (FG001 to
        FG007).
        """
        shown = place.folder / target.value
        path = self._check_allowed(target, shown, place)
        self._files += 1
        if self._files > MAX_FILES:
            raise _make_refusal(f"more than {MAX_FILES} files are included", target.span)
        tree = self._parsed.get((path, shown))
        if tree is None:
            content = self._unsaved.get(str(shown)) or read_bytes(Path(path), str(shown), target.span)
            tree = parse_tree(content, str(shown))
            self._parsed[path, shown] = tree
        self._values += tree.size
        if self._values > MAX_VALUES:
            raise _make_refusal(f"the included files hold more than {MAX_VALUES} values", target.span)
        if place.depth + tree.height > MAX_DEPTH:
            raise _make_refusal(f"with '{target.value}', values nest deeper than {MAX_DEPTH}", target.span)
        return self.resolve_includes(tree, _Place(shown.parent, (*place.chain, path), place.depth))

    def _check_allowed(self, target: Node, shown: Path, place: _Place) -> str:
        """Return the real path of an include. Raises InputError (FG007) if it is not allowed."""
        name = target.value
        path = resolve_contained(name, shown, Path(self._root), target.span, allow_outside=self._allow_outside)
        if path in place.chain:
            circle = [Path(f).name for f in (*place.chain[place.chain.index(path) :], path)]
            raise _make_refusal(f"'{name}' includes itself: {' -> '.join(circle)}", target.span)
        if len(place.chain) > MAX_INCLUDE_DEPTH:
            raise _make_refusal(f"includes go deeper than {MAX_INCLUDE_DEPTH} files", target.span)
        return path


def resolve_contained(
    name: str,
    shown: Path,
    root: Path,
    span: Span,
    *,
    allow_outside: bool,
    endings: Sequence[str] = ENDINGS,
    owner: str = "blueprint's",
) -> str:
    """Return the real path of the file `shown` that a blueprint names as `name`.

    Raises InputError (FG007), with the span, if the path is absolute or leaves the folder `root` (unless
    `allow_outside`), or leads to a file with none of the `endings`. A blueprint from a stranger could otherwise show
    other files, such as those of secrets, in an error or as a description. A pipe, which would wait for its writer, is
    refused too. `owner` says in messages whose folder `root` is: `blueprint's`.
    """
    if not name.strip() or "\0" in name:
        raise _make_refusal("an include names no file", span, "write it like !include other.yaml")
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor:
        raise _make_refusal(f"'{name}' is an absolute path", span, "name it relative to this file")
    target = os.path.realpath(shown)
    if not allow_outside and not Path(target).is_relative_to(os.path.realpath(root)):
        hint = f"move the file into the {owner} folder or below"
        raise _make_refusal(f"'{name}' lies outside the {owner} folder", span, hint)
    file = Path(target)
    if not file.is_dir() and not target.endswith(tuple(endings)):
        raise _make_refusal(f"'{name}' leads to no file that ends in {' or '.join(endings)}", span)
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise _make_refusal(f"'{name}' is no regular file", span)
    return target


def _list_targets(include: MappingEntry) -> tuple[Node, ...]:
    """Return the nodes of the file names of a top-level `include`, in their order; later files win.

    Raises InputError (FG007) for anything but file names.
    """
    node = include.node
    targets = node.value if isinstance(node.value, tuple) else (node,)
    for target in targets:
        if not isinstance(target.value, str):
            kind = "!include" if isinstance(target.value, Include) else describe_kind(target)
            hint = "write it like include: other.yaml, or as a list of such names"
            raise _make_refusal(f"'include' takes file names, not {kind}", target.span, hint)
    return targets


def _make_refusal(message: str, span: Span, hint: str = "") -> InputError:
    """Return an error (FG007) at a place of a blueprint."""
    return fault("FG007", message, hint=hint, span=span)
