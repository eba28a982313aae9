"""Laying one tree over another, and `--set PATH=VALUE`."""

from __future__ import annotations

import re

from fabricgen.kernel.diagnostics import InputError, Path, Span, fault
from fabricgen.models.validation import dotted
from fabricgen.yaml.tree import (
    MAX_DEPTH,
    Entry,
    Node,
    entries_used_at,
    kind_of,
    mapping,
    parse_tree,
    sequence,
)

# Texts, which are only compiled where there is a setting.
_SET = r'(?s)((?:"[^"]*"|[^"=])*)=(.*)'
_PATH = r'(?:"[^"]+"|[^".]+)(?:\.(?:"[^"]+"|[^".]+))*'
_SEGMENT = r'"([^"]+)"|([^".]+)'


def overlay(base: Node, top: Node) -> Node:
    """Lay `top` over `base`: mappings merge, the rest replaces, and null takes a key of the base away."""
    if not (isinstance(base.value, dict) and isinstance(top.value, dict)):
        return top
    entries = entries_used_at(base, base.used)
    for key, entry in entries_used_at(top, top.used).items():
        if key not in base.value:
            entries[key] = entry
        elif entry.node.value is None:
            del entries[key]
        else:
            entries[key] = Entry(entry.key, overlay(base.value[key].node, entry.node))
    return mapping(entries, top.span)


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
    return _put(tree, path, value, span, ())


def _put(node: Node, path: tuple[str, ...], value: Node, span: Span, above: Path) -> Node:
    if not path:
        return value
    part, rest = path[0], path[1:]
    if isinstance(node.value, tuple):
        index = _index(part, node, span, above)
        items = list(node.value)
        items[index] = _put(items[index], rest, value, span, (*above, index))
        return sequence(tuple(items), node.span, node.used)
    if node.value is None:
        node = mapping({}, span)
    if not isinstance(node.value, dict):
        raise _no_mapping(node, part, span, above)
    old = node.value.get(part) or Entry(span, Node(None, span))
    new = Entry(old.key, _put(old.node, rest, value, span, (*above, part)))
    return mapping({**node.value, part: new}, node.span, node.used)


def _index(part: str, node: Node, span: Span, above: Path) -> int:
    count = len(node.value)
    if part.isascii() and part.isdigit() and len(part) < 10 and int(part) < count:
        return int(part)
    known = f"write an index from 0 to {count - 1}" if count else "it is empty"
    message = f"{dotted(above) or 'the top level'} is a list and has no '{part}'"
    raise fault("FG008", message, path=above, hint=known, span=span)


def _no_mapping(node: Node, part: str, span: Span, above: Path) -> InputError:
    message = f"{dotted(above) or 'the top level'} is {kind_of(node)}, not a mapping; it cannot have '{part}'"
    return fault("FG008", message, path=above, hint=f"that value stands at {node.span}", span=span)
