"""A blueprint's text with its includes and `--set` values put together."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath, PureWindowsPath

from fabricgen.blueprint.overlays import apply_set, overlay
from fabricgen.kernel.diagnostics import InputError, Span, fault
from fabricgen.kernel.text_input import MAX_BYTES, read_bytes
from fabricgen.yaml.located import Include, Located, locate
from fabricgen.yaml.tree import MAX_DEPTH, Anchor, Entry, Node, kind_of, mapping, parse_tree, sequence

MAX_INCLUDE_DEPTH = 16
"""How many files may include one another in a chain."""

MAX_FILES = 256
"""How many files may be included, each counted as often as it is."""

MAX_VALUES = 1_000_000
"""How many values all included files may hold together."""

ENDINGS = (".yaml", ".yml", ".json")
"""Of files that may be included."""

STDIN = "<stdin>"
"""What spans call standard input."""


def read_source(
    blueprint: str,
    *,
    sets: Sequence[str] = (),
    allow_outside: bool = False,
    unsaved: Mapping[str, bytes] | None = None,
) -> Located:
    """Read a blueprint (`-` is standard input), lay it over what it includes, and apply `sets` (PATH=VALUE).

    Included files must lie in the blueprint's folder or below, unless `allow_outside`. Top-level keys that
    begin with `x-` are dropped. `unsaved` stands for the content of files, by the names that spans carry.
    Raises InputError: FG001 to FG006 for a file that cannot be read or parsed,
    FG007 for an include that is not allowed, FG008 for a bad setting.
    """
    if blueprint == "-":
        tree, here = parse_tree(_stdin(), STDIN), _Place(Path(), (STDIN,), 0)
    else:
        file = Path(blueprint)
        tree = parse_tree((unsaved or {}).get(str(file)) or read_bytes(file, str(file)), str(file))
        here = _Place(file.parent, (os.path.realpath(file),), 0)
    reader = _Reader(os.path.realpath(here.folder), allow_outside, unsaved or {})
    tree = reader.complete(tree, here)
    for setting in sets:
        tree = apply_set(tree, setting)
    return replace(locate(tree), idle=tuple(dict.fromkeys(reader.idle)))


def _stdin() -> bytes:
    if sys.stdin is None:
        raise fault("FG001", "cannot read standard input: it is closed", span=Span(STDIN, 1, 1))
    try:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise fault("FG001", f"cannot read standard input: {error}", span=Span(STDIN, 1, 1)) from None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node is: its file's folder, the real paths that led to the file, how deep it is nested."""

    folder: Path
    chain: tuple[str, ...]
    depth: int

    def below(self) -> _Place:
        return _Place(self.folder, self.chain, self.depth + 1)


class _Reader:
    """Reads what a blueprint includes; keeps the counts that bound it."""

    def __init__(self, root: str, allow_outside: bool, unsaved: Mapping[str, bytes]) -> None:
        self._root = root
        self._unsaved = unsaved
        self._allow_outside = allow_outside
        self.idle: list[Anchor] = []
        self._files = 0
        self._values = 0
        self._parsed: dict[tuple[str, Path], Node] = {}

    def complete(self, tree: Node, place: _Place) -> Node:
        """Resolve all includes of one file's tree and drop its `x-` keys; raises InputError."""
        self.idle += tree.idle
        if not isinstance(tree.value, dict):
            return self._resolve(tree, place)
        entries = dict(tree.value)
        asked = entries.pop("include", None)
        own = self._resolve(mapping(entries, tree.span), place)
        base: Node | None = None
        for target in _targets(asked) if asked else ():
            included = self._load(target, place)
            if not isinstance(included.value, dict):
                what = f"'{target.value}' holds {kind_of(included)}, not a mapping"
                raise _refused(what, target.span, "include it as a value: key: !include file.yaml")
            base = overlay(base, included) if base else included
        merged = overlay(base, own) if base else own
        return mapping({k: v for k, v in merged.value.items() if not k.startswith("x-")}, merged.span)

    def _resolve(self, node: Node, place: _Place) -> Node:
        """Replace each `!include` in a tree by what its file holds."""
        if not node.has_include:
            return node
        if isinstance(node.value, dict):
            entries = {k: Entry(e.key, self._resolve(e.node, place.below())) for k, e in node.value.items()}
            return mapping(entries, node.span, node.used)
        if isinstance(node.value, tuple):
            return sequence(tuple(self._resolve(n, place.below()) for n in node.value), node.span, node.used)
        return self._load(Node(node.value.target, node.span), place).used_at(node.used or node.span)

    def _load(self, target: Node, place: _Place) -> Node:
        """Read the file that `target` names and all that it includes."""
        shown = place.folder / target.value
        real = self._allowed(target, shown, place)
        self._files += 1
        if self._files > MAX_FILES:
            raise _refused(f"more than {MAX_FILES} files are included", target.span)
        tree = self._parsed.get((real, shown))
        if tree is None:
            content = self._unsaved.get(str(shown)) or read_bytes(Path(real), str(shown), target.span)
            tree = parse_tree(content, str(shown))
            self._parsed[real, shown] = tree
        self._values += tree.size
        if self._values > MAX_VALUES:
            raise _refused(f"the included files hold more than {MAX_VALUES} values", target.span)
        if place.depth + tree.height > MAX_DEPTH:
            raise _refused(f"with '{target.value}', values nest deeper than {MAX_DEPTH}", target.span)
        return self.complete(tree, _Place(shown.parent, (*place.chain, real), place.depth))

    def _allowed(self, target: Node, shown: Path, place: _Place) -> str:
        """Return the real path of an include, or raise InputError (FG007)."""
        name = target.value
        real = contained(name, shown, Path(self._root), target.span, allow_outside=self._allow_outside)
        if real in place.chain:
            circle = [Path(f).name for f in (*place.chain[place.chain.index(real) :], real)]
            raise _refused(f"'{name}' includes itself: {' -> '.join(circle)}", target.span)
        if len(place.chain) > MAX_INCLUDE_DEPTH:
            raise _refused(f"includes go deeper than {MAX_INCLUDE_DEPTH} files", target.span)
        return real


def contained(
    name: str,
    shown: Path,
    root: Path,
    span: Span,
    *,
    allow_outside: bool,
    endings: Sequence[str] = ENDINGS,
    of: str = "blueprint's",
) -> str:
    """Return the real path of a file that a blueprint names; raises InputError (FG007) when it leaves `root`, the
    folder of what it is called by in messages.

    The file that it leads to has one of some endings: a blueprint from a stranger could show others, such as those of
    secrets, in an error or as a description. A pipe, which would wait for its writer, is refused too.
    """
    if not name.strip() or "\0" in name:
        raise _refused("an include names no file", span, "write it like !include other.yaml")
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor:
        raise _refused(f"'{name}' is an absolute path", span, "name it relative to this file")
    real = os.path.realpath(shown)
    if not allow_outside and not Path(real).is_relative_to(os.path.realpath(root)):
        hint = f"move the file into the {of} folder or below"
        raise _refused(f"'{name}' lies outside the {of} folder", span, hint)
    file = Path(real)
    if not file.is_dir() and not real.endswith(tuple(endings)):
        raise _refused(f"'{name}' leads to no file that ends in {' or '.join(endings)}", span)
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise _refused(f"'{name}' is no regular file", span)
    return real


def _targets(asked: Entry) -> tuple[Node, ...]:
    """The file names that a top-level `include` gives, those that win last; raises InputError (FG007)."""
    node = asked.node
    targets = node.value if isinstance(node.value, tuple) else (node,)
    for target in targets:
        if not isinstance(target.value, str):
            what = "!include" if isinstance(target.value, Include) else kind_of(target)
            hint = "write it like include: other.yaml, or as a list of such names"
            raise _refused(f"'include' takes file names, not {what}", target.span, hint)
    return targets


def _refused(message: str, span: Span, hint: str = "") -> InputError:
    return fault("FG007", message, hint=hint, span=span)
