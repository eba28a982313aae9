"""Laying one tree of YAML over another, `--set PATH=VALUE`, and keys that are written under an old name."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from fabricgen.blueprint.base import Model, list_old_names
from fabricgen.blueprint.models import Blueprint
from fabricgen.kernel.diagnostics import Path, Span, fault
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

# Texts, which are compiled when there is a setting.
_SET = r'(?s)((?:"[^"]*"|[^"=])*)=(.*)'
_PATH = r'(?:"[^"]+"|[^".]+)(?:\.(?:"[^"]+"|[^".]+))*'
_SEGMENT = r'"([^"]+)"|([^".]+)'


def lay_over(base: Node, top: Node) -> Node:
    """Return `top` laid over `base`: mappings merge, any other value replaces, and null removes a key of the base."""
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

    Raises InputError: FG008 for a malformed setting or one that leads into a scalar, FG002 to FG006 for faults in
    VALUE.
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
    step, further = path[0], path[1:]
    if isinstance(node.value, tuple):
        index = _parse_index(step, node, span, above)
        elements = list(node.value)
        elements[index] = _put_value(elements[index], further, value, span, (*above, index))
        return make_sequence(tuple(elements), node.span, node.used)
    if node.value is None:
        node = make_mapping({}, span)
    if not isinstance(node.value, dict):
        kind = f"{format_path(above) or 'the top level'} is {describe_kind(node)}"
        hint = f"that value stands at {node.span}"
        raise fault("FG008", f"{kind}, not a mapping; it cannot have '{step}'", path=above, hint=hint, span=span)
    old = node.value.get(step) or MappingEntry(span, Node(None, span))
    new = MappingEntry(old.key, _put_value(old.node, further, value, span, (*above, step)))
    return make_mapping({**node.value, step: new}, node.span, node.used)


def _parse_index(step: str, node: Node, span: Span, above: Path) -> int:
    """Return the index of an element of a list that a step of a path names. Raises InputError (FG008) if there is
    none.
    """
    count = len(node.value)
    if step.isascii() and step.isdigit() and len(step) < 10 and int(step) < count:
        return int(step)
    hint = f"write an index from 0 to {count - 1}" if count else "it is empty"
    message = f"{format_path(above) or 'the top level'} is a list and has no '{step}'"
    raise fault("FG008", message, path=above, hint=hint, span=span)


# Keys of a blueprint that are written under a name they had before.


class OldName(NamedTuple):
    """The path of a key that is written under an old name, and its name of today."""

    path: Path
    name: str


@cache
def _list_old_words() -> frozenset[str]:
    """Return every old name of the language."""
    return frozenset(
        old for part in _list_models(Model) for info in part.model_fields.values() for old in list_old_names(info)
    )


def _list_models(model: type[Model]) -> Iterator[type[Model]]:
    """Yield all models that are derived from one, directly or not: all parts of the language."""
    for part in model.__subclasses__():
        yield part
        yield from _list_models(part)


def list_old_keys(data: Any) -> Iterator[OldName]:
    """Yield every key of a blueprint, given as plain data, that is written under an old name."""
    for path in _find_keys(data, _list_old_words(), ()):
        for name, info in find_fields(Blueprint, path[:-1]).items():
            if path[-1] in list_old_names(info):
                yield OldName(path, name)


def _find_keys(data: Any, words: frozenset[str], above: Path) -> Iterator[Path]:
    """Yield the paths of the keys of plain data that are among some words."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        if key in words:
            yield (*above, key)
        yield from _find_keys(value, words, (*above, key))


def spell_as_written(data: Any, path: Path) -> Path:
    """Return a path with the names that the text has, old ones if it uses them; steps that the text lacks stay as
    they are.
    """
    written: list[str | int] = []
    for step in path:
        old_names: tuple[str, ...] = ()
        if isinstance(data, dict) and step not in data:
            info = find_fields(Blueprint, path[: len(written)]).get(str(step))
            old_names = tuple(name for name in list_old_names(info) if name in data) if info else ()
        written.append(old_names[0] if old_names else step)
        try:
            data = data[written[-1]]
        except (KeyError, IndexError, TypeError):
            return (*written, *path[len(written) :])
    return tuple(written)
