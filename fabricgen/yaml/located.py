"""YAML as plain data, with the place of every key and value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from fabricgen.kernel.diagnostics import Path, Span
from fabricgen.kernel.text_input import read_bytes
from fabricgen.yaml.scalars import Include
from fabricgen.yaml.tree import Anchor, MappingEntry, Node, parse_tree


class Located(NamedTuple):
    """Plain data (dict, list, str, int, float, bool, None), and the span of each value and each key by path.

    `root` is the tree that the data were read from.
    """

    data: Any
    spans: Mapping[Path, Span]
    keys: Mapping[Path, Span]
    root: Node
    idle: tuple[Anchor, ...] = ()
    """The anchors that no alias names."""

    def span(self, path: Path) -> Span:
        """Return the span of the value at `path`.

        For a path that the text lacks it is the key of the nearest mapping or list above it, so that a missing value is
        shown where it belongs; or that mapping or list itself if it has no key.
        """
        if path in self.spans:
            return self.spans[path]
        while path:
            path = path[:-1]
            if path in self.keys and isinstance(find_value(self.data, path), dict | list):
                return self.keys[path]
            if path in self.spans:
                return self.spans[path]
        return self.spans[()]

    def key_span(self, path: Path) -> Span:
        """Return the span of the key that ends `path`; that of its value if there is no such key."""
        return self.keys.get(path) or self.span(path)

    def used_at(self, path: Path) -> Span | None:
        """Return the place at which an alias, a merge or an `!include` puts the value of `path`; None if it stands
        by itself.
        """
        node = self.root
        for part in path:
            if node.used:
                break
            if isinstance(node.value, dict) and part in node.value:
                node = node.value[part].node
            elif isinstance(node.value, tuple) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
            else:
                break
        return node.used

    def add_note(self, hint: str, path: Path, shown: Span | None) -> str:
        """Return a hint with the place at which the value is used, if that is another line than the one shown."""
        used = self.used_at(path)
        if used is None or shown is None or (used.file, used.line) == (shown.file, shown.line):
            return hint
        return f"{hint} (used at {used})" if hint else f"it is used at {used}"


@dataclass(frozen=True, slots=True, eq=False)
class _SpanTree(Mapping[Path, Span]):
    """The spans of the values (or of the keys) in a tree, found by walking the tree, since most are never asked for."""

    root: Node
    of_keys: bool

    def __getitem__(self, path: Path) -> Span:
        node: Node = self.root
        key: Span | None = None
        for part in path:
            if isinstance(node.value, dict) and part in node.value:
                entry: MappingEntry = node.value[part]
                key, node = entry.key, entry.node
            elif isinstance(node.value, tuple) and type(part) is int and 0 <= part < len(node.value):
                key, node = None, node.value[part]
            else:
                raise KeyError(path)
        if not self.of_keys:
            return node.span
        if key is None:
            raise KeyError(path)
        return key

    def __iter__(self) -> Iterator[Path]:
        pending: list[tuple[Path, Node, bool]] = [((), self.root, False)]
        while pending:
            path, node, has_key = pending.pop()
            if has_key or not self.of_keys:
                yield path
            if isinstance(node.value, dict):
                # a stack returns the last entry first: reversed, paths come in the order of the text
                pending += [((*path, k), entry.node, True) for k, entry in reversed(node.value.items())]
            elif isinstance(node.value, tuple):
                pending += [((*path, i), n, False) for i, n in reversed([*enumerate(node.value)])]

    def __len__(self) -> int:
        return sum(1 for _ in self)


def locate_tree(root: Node) -> Located:
    """Return a tree as plain data with its places."""
    return Located(root.plain(), _SpanTree(root, of_keys=False), _SpanTree(root, of_keys=True), root)


def read_located(file: FilePath, *, shown_as: str | None = None) -> Located:
    """Read a YAML file; `shown_as` is the name that spans carry, by default the path as given.

    Raises InputError: FG001 if it cannot be read, FG002 to FG006 for what is wrong in it.
    """
    name = shown_as if shown_as is not None else str(file)
    return locate_tree(parse_tree(read_bytes(file, name), name))


def parse_located(text: str | bytes, name: str) -> Located:
    """Parse YAML text, such as that of standard input; spans carry `name` as their file.

    Raises InputError: FG001 if it is no text, FG002 to FG006 for what is wrong in it.
    """
    return locate_tree(parse_tree(text, name))


__all__ = ["Include", "Located", "locate_tree", "parse_located", "read_located"]


def find_value(data: Any, path: Path) -> Any:
    """Return the value at a path in data; raises KeyError or IndexError if there is none."""
    for part in path:
        data = data[part]
    return data
