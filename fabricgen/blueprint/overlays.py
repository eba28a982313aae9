"""Laying one tree over another, and `--set PATH=VALUE`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from fabricgen.blueprint.base import Model, list_old_names
from fabricgen.blueprint.models import Blueprint
from fabricgen.kernel.diagnostics import InputError, Path, Span, fault
from fabricgen.models.json_schema import find_fields
from fabricgen.models.validation import format_path
from fabricgen.yaml.tree import (
    MAX_DEPTH,
    MappingEntry,
    Node,
    describe_kind,
    make_mapping,
    make_sequence,
    parse_tree,
    place_entries,
)

# Texts, which are only compiled where there is a setting.
_SET = r'(?s)((?:"[^"]*"|[^"=])*)=(.*)'
_PATH = r'(?:"[^"]+"|[^".]+)(?:\.(?:"[^"]+"|[^".]+))*'
_SEGMENT = r'"([^"]+)"|([^".]+)'


def lay_over(base: Node, top: Node) -> Node:
    """Lay `top` over `base`: mappings merge, the rest replaces, and null takes a key of the base away."""
    if not (isinstance(base.value, dict) and isinstance(top.value, dict)):
        return top
    entries = place_entries(base, base.used)
    for key, entry in place_entries(top, top.used).items():
        if key not in base.value:
            entries[key] = entry
        elif entry.node.value is None:
            del entries[key]
        else:
            entries[key] = MappingEntry(entry.key, lay_over(base.value[key].node, entry.node))
    return make_mapping(entries, top.span)


def apply_set(tree: Node, setting: str) -> Node:
    """Return the tree with one `PATH=VALUE` set in it; missing mappings on the way are made.

    Raises InputError: FG008 for a malformed setting or one that leads into a scalar, FG002 to FG006 for
    what is wrong in VALUE.
    """
    match = re.fullmatch(_SET, setting)
    written = match[1].strip() if match else ""
    span = Span(f"--set {written or setting}", 1, 1)
    if not match or not re.fullmatch(_PATH, written):
        hint = 'write it like pods.p1.su=3; a key with dots like pods."a.b".su=3'
        raise fault("FG008", f"'{setting}' is not PATH=VALUE", hint=hint, span=span)
    if not match[2].strip():
        raise fault("FG008", f"no value is given for {written}", hint=f"write {written}=null for none", span=span)
    value = parse_tree(match[2], span.file, ratios_are_text=True)
    if value.has_include:
        raise fault("FG008", "a set value cannot be an !include", span=value.span)
    path = tuple(quoted or bare for quoted, bare in re.findall(_SEGMENT, written))
    if path[0] == "include":
        raise fault("FG008", "'include' cannot be set: files are included before values are set", span=span)
    if len(path) + value.height > MAX_DEPTH:
        raise fault("FG008", f"{written} nests deeper than {MAX_DEPTH}", span=span)
    return _put_value(tree, path, value, span, ())


def _put_value(node: Node, path: tuple[str, ...], value: Node, span: Span, above: Path) -> Node:
    """Return a node with a value put at a path below it; `above` is the path of the node, for messages."""
    if not path:
        return value
    part, rest = path[0], path[1:]
    if isinstance(node.value, tuple):
        index = _parse_index(part, node, span, above)
        elements = list(node.value)
        elements[index] = _put_value(elements[index], rest, value, span, (*above, index))
        return make_sequence(tuple(elements), node.span, node.used)
    if node.value is None:
        node = make_mapping({}, span)
    if not isinstance(node.value, dict):
        raise _make_no_mapping_error(node, part, span, above)
    old = node.value.get(part) or MappingEntry(span, Node(None, span))
    new = MappingEntry(old.key, _put_value(old.node, rest, value, span, (*above, part)))
    return make_mapping({**node.value, part: new}, node.span, node.used)


def _parse_index(part: str, node: Node, span: Span, above: Path) -> int:
    """Read a step into a list; raises InputError (FG008) for one that it does not have."""
    count = len(node.value)
    if part.isascii() and part.isdigit() and len(part) < 10 and int(part) < count:
        return int(part)
    hint = f"write an index from 0 to {count - 1}" if count else "it is empty"
    message = f"{format_path(above) or 'the top level'} is a list and has no '{part}'"
    raise fault("FG008", message, path=above, hint=hint, span=span)


def _make_no_mapping_error(node: Node, part: str, span: Span, above: Path) -> InputError:
    message = (
        f"{format_path(above) or 'the top level'} is {describe_kind(node)}, not a mapping; it cannot have '{part}'"
    )
    return fault("FG008", message, path=above, hint=f"that value stands at {node.span}", span=span)


# Keys of a blueprint that are written under a name they had before.


class OldName(NamedTuple):
    """A key by its place, as it is written, and its name of today."""

    path: Path
    name: str


@cache
def _list_old_words() -> frozenset[str]:
    """Return every old name of the language."""
    return frozenset(
        old for part in _list_models(Model) for info in part.model_fields.values() for old in list_old_names(info)
    )


def _list_models(model: type[Model]) -> Iterator[type[Model]]:
    """Yield the models that are made from one, and from those: all parts of the language."""
    for part in model.__subclasses__():
        yield part
        yield from _list_models(part)


def list_old_keys(data: Any) -> Iterator[OldName]:
    """Yield every key of a blueprint, as plain data, that has another name today."""
    for path in _find_keys(data, _list_old_words(), ()):
        for name, info in find_fields(Blueprint, path[:-1]).items():
            if path[-1] in list_old_names(info):
                yield OldName(path, name)


def _find_keys(data: Any, words: frozenset[str], above: Path) -> Iterator[Path]:
    """Walk plain data for keys that are among some words."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        if key in words:
            yield (*above, key)
        yield from _find_keys(value, words, (*above, key))


def spell_as_written(data: Any, path: Path) -> Path:
    """Return a path with the names that the text has, old ones where it uses them; what it lacks stays as it is."""
    written: list[str | int] = []
    for part in path:
        old: tuple[str, ...] = ()
        if isinstance(data, dict) and part not in data:
            info = find_fields(Blueprint, path[: len(written)]).get(str(part))
            old = tuple(name for name in list_old_names(info) if name in data) if info else ()
        written.append(old[0] if old else part)
        try:
            data = data[written[-1]]
        except (KeyError, IndexError, TypeError):
            return (*written, *path[len(written) :])
    return tuple(written)
