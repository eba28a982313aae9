"""Parsing YAML text into a tree of immutable nodes that know where they stand; nothing in it can be executed.

Aliased nodes are shared, not copied, so that sizes are known before anything is expanded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from fabricgen.kernel.diagnostics import InputError, Span, fault, may_be_secret
from fabricgen.kernel.text_input import decode_text
from fabricgen.yaml.scalars import CORE, Include, make_tag_error, resolve_scalar
from fabricgen.yaml.syntax import make_syntax_error

if TYPE_CHECKING:
    from ruamel.yaml.cyaml import CBaseLoader

MAX_DEPTH = 64
"""How deep mappings and lists may nest."""

MAX_ALIASED = 20_000
"""How many values aliases may stand for, in all."""


class MappingEntry(NamedTuple):
    """The value of a mapping under a key, and the span of that key."""

    key: Span
    node: Node


class Anchor(NamedTuple):
    """The name of an anchor, and where it stands."""

    name: str
    span: Span


class Node(NamedTuple):
    """A value: a dict of `MappingEntry`, a tuple of `Node`, or a scalar. `size` counts it and all nodes below it,
    `height` the levels below it.

    `span` is where it is written; `used` is where an alias, a merge or an `!include` puts it, if that is elsewhere.
    """

    value: Any
    span: Span
    size: int = 1
    height: int = 0
    has_include: bool = False
    used: Span | None = None
    idle: tuple[Anchor, ...] = ()
    """In the root: the anchors that no alias names."""

    def used_at(self, place: Span | None) -> Node:
        """Return the node with the place where an alias or an include put it, if one did; its content is shared, not
        copied.
        """
        return self._replace(used=place) if place else self

    def plain(self) -> Any:
        """Return the value as dicts, lists and scalars."""
        if isinstance(self.value, dict):
            nodes = [(key, entry.node) for key, entry in self.value.items()]
            return {key: node.plain() if node.height else node.value for key, node in nodes}
        if isinstance(self.value, tuple):
            return [node.plain() if node.height else node.value for node in self.value]
        return self.value


def make_mapping(entries: dict[str, MappingEntry], span: Span, used: Span | None = None) -> Node:
    """Return the node of a mapping, with the size of all nodes below it; `used` as in `Node`."""
    return _make_collection(entries, [entry.node for entry in entries.values()], span, used)


def make_sequence(nodes: tuple[Node, ...], span: Span, used: Span | None = None) -> Node:
    """Return the node of a list, with the size of all its items; `used` as in `Node`."""
    return _make_collection(nodes, nodes, span, used)


def place_entries(node: Node, place: Span | None) -> dict[str, MappingEntry]:
    """Return the entries of a mapping, to be put into another mapping.

    `place` is where an alias, a merge or an `!include` puts them, which their nodes get as `used`; None for none.
    """
    return {key: MappingEntry(entry.key, entry.node.used_at(place)) for key, entry in node.value.items()}


def _make_collection(value: Any, children: list[Node] | tuple[Node, ...], span: Span, used: Span | None) -> Node:
    """Return the node of a mapping or list; sizes are added up, since documents are limited by them."""
    size, height, has_include = 1, 0, False
    for child in children:
        size += child.size
        if child.height > height:  # `max` takes four times as long, and this is for every value
            height = child.height
        has_include = has_include or child.has_include
    return Node(value, span, size, height + 1, has_include, used)


def describe_kind(node: Node) -> str:
    """Return words for what a node is: `a mapping`, `a list`, `nothing` or the scalar itself."""
    if isinstance(node.value, dict):
        return "a mapping"
    if isinstance(node.value, tuple):
        return "a list"
    if isinstance(node.value, bool):
        return str(node.value).lower()
    return "nothing" if node.value is None else repr(node.value)


def parse_tree(text: str | bytes, name: str, *, ratios_are_text: bool = False) -> Node:
    """Parse one YAML document; spans carry `name` as their file.

    With `ratios_are_text`, an unquoted 4:3 is text instead of an error. Raises InputError FG001 to FG006.
    """
    from ruamel.yaml.cyaml import CBaseLoader
    from ruamel.yaml.error import YAMLError

    source = decode_text(text, name)
    builder = _Builder(name, ratios_are_text)
    try:
        builder.read(CBaseLoader(source))
    except YAMLError as error:
        raise make_syntax_error(error, source, name) from None
    return builder.finish()


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not been read.

    `key` is the key (with its span) whose value comes next, None if a key comes next. `merge_key` is the span of the
    key `<<`, None without one, and `merged` are the mappings that it brings in.
    """

    span: Span
    is_map: bool
    anchor: str | None
    entries: dict[str, MappingEntry] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    merged: list[Node] = field(default_factory=list)
    merge_key: Span | None = None
    key: tuple[str, Span] | None = None


class _Builder:
    """Builds the tree, event by event."""

    def __init__(self, name: str, ratios_are_text: bool) -> None:
        from ruamel.yaml import events

        self._name = name
        self._ratios_are_text = ratios_are_text
        self._root: Node | None = None
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}  # None: its node is still open
        self._idle: dict[Span, str] = {}
        self._hidden = set[Span]()
        self._documents = 0
        self._aliased = 0
        self._map_start = events.MappingStartEvent
        self._handlers = {
            events.DocumentStartEvent: self._start_document,
            events.ScalarEvent: self._add_scalar,
            events.AliasEvent: self._add_alias,
            events.MappingStartEvent: self._open_collection,
            events.SequenceStartEvent: self._open_collection,
            events.MappingEndEvent: self._close_collection,
            events.SequenceEndEvent: self._close_collection,
        }

    def read(self, parser: CBaseLoader) -> None:
        """Handle all events of a parser. Raises InputError (FG002 to FG006)."""
        event: Any = None
        try:
            for event in iter(parser.get_event, None):
                if handler := self._handlers.get(type(event)):
                    handler(event)
        except InputError as error:
            code = error.diagnostics[0].code
            if code in ("FG005", "FG006") and self._is_at_secret():
                message = f"what may be a secret begins as {'an alias' if code == 'FG005' else 'a tag'} of YAML does"
                raise fault(code, message, hint="quote it if it is text", span=self._make_span(event)) from None
            raise

    def finish(self) -> Node:
        """Return the root. Raises InputError (FG002) for an empty text."""
        span = self._root.span if self._root else Span(self._name, 1, 1)
        is_blank = (span.line, span.column) == (span.end_line, span.end_column)
        if self._root is None or (self._root.value is None and is_blank):
            raise fault("FG002", f"'{self._name}' is empty", span=Span(self._name, 1, 1))
        idle = tuple(Anchor("***" if span in self._hidden else name, span) for span, name in self._idle.items())
        return self._root._replace(idle=idle) if idle else self._root

    def _is_at_secret(self) -> bool:
        """Whether the next value stands where somebody may have written a secret, so that no message may repeat it."""
        around = self._name.split(".") if self._name.startswith("--set") else []
        return may_be_secret([*around, *(level.key[0] for level in self._stack if level.key)])

    def _make_span(self, event: Any) -> Span:
        """Return where an event of the parser is in the file."""
        start, end = event.start_mark, event.end_mark
        return Span(self._name, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def _start_document(self, event: Any) -> None:
        """Refuse a second document in a file."""
        self._documents += 1
        if self._documents > 1:
            hint = "remove the '---', or split the file"
            raise fault("FG002", "a second document begins here", hint=hint, span=self._make_span(event))

    def _add_scalar(self, event: Any) -> None:
        """Add a scalar; if it is the key `<<`, note that the next value is merged."""
        span = self._make_span(event)
        plain = not event.style
        parent = self._stack[-1] if self._stack else None
        if plain and event.value == "<<" and not event.tag and parent and parent.is_map and parent.key is None:
            if parent.merge_key:
                self._refuse_duplicate("<<", parent.merge_key, span)
            parent.merge_key = span
            parent.key = "<<", span
            return
        tag, ratios = event.tag, self._ratios_are_text
        value = resolve_scalar(event.value, tag, plain=plain, span=span, ratios_are_text=ratios)
        if parent and parent.is_map and parent.key is None and not event.anchor:
            parent.key = self._check_key(value, span, parent), span
            return
        node = Node(value, span, has_include=isinstance(value, Include))
        if event.anchor:
            self._anchors[event.anchor] = node
            self._idle[span] = event.anchor
            if self._is_at_secret():  # a password may begin with &
                self._hidden.add(span)
        self._add(node)

    def _add_alias(self, event: Any) -> None:
        """Add the value that an alias names, as it is used there. Raises InputError (FG005)."""
        span, name = self._make_span(event), event.anchor
        if name not in self._anchors:
            hint = f'quote "*{name}" if it is text, or write &{name} where the value stands first'
            raise fault("FG005", f"no anchor &{name} before this alias", hint=hint, span=span)
        node = self._anchors[name]
        # the anchor has a use now; if several have this name, the last one before the alias
        if name in self._idle.values():
            del self._idle[max(place for place, idle in self._idle.items() if idle == name)]
        if node is None:
            raise fault("FG005", f"the alias *{name} contains itself", span=span)
        self._aliased += node.size
        if self._aliased > MAX_ALIASED:
            raise fault("FG005", f"aliases expand to more than {MAX_ALIASED} values", span=span)
        self._check_depth(len(self._stack) + node.height, span)
        self._add(node.used_at(span), span)

    def _open_collection(self, event: Any) -> None:
        """Begin a mapping or list. Raises InputError (FG002) if it is a key."""
        span, is_map = self._make_span(event), isinstance(event, self._map_start)
        if event.tag not in (None, "!", CORE + ("map" if is_map else "seq")):
            raise make_tag_error(event.tag, span)
        # a mapping whose key is still to come
        if self._stack and self._stack[-1].is_map and self._stack[-1].key is None:
            kind = "a mapping" if is_map else "a list"
            hint = "quote text that begins with { or ["
            raise fault("FG002", f"a key must be text, not {kind}", hint=hint, span=span)
        self._check_depth(len(self._stack) + 1, span)
        if event.anchor:
            # None until it is closed: an alias to the collection that it is in would have no end
            self._anchors[event.anchor] = None
            self._idle[span] = event.anchor
        self._stack.append(_Open(span, is_map, event.anchor))

    def _check_depth(self, depth: int, span: Span) -> None:
        """Raise InputError (FG002) for a value that is nested too deep."""
        if depth > MAX_DEPTH:
            raise fault("FG002", f"nested deeper than {MAX_DEPTH}", span=span)

    def _close_collection(self, event: Any) -> None:
        """Finish a list, or a mapping with the keys that it merges behind its own."""
        done = self._stack.pop()
        start, end = done.span, event.end_mark
        span = Span(self._name, start.line, start.column, end.line + 1, end.column + 1)
        if done.is_map:
            for merged in done.merged:
                for key, entry in place_entries(merged, merged.used).items():
                    done.entries.setdefault(key, entry)
            node = make_mapping(done.entries, span)
        else:
            node = make_sequence(tuple(done.items), span)
        if done.anchor:
            self._anchors[done.anchor] = node
        self._add(node)

    def _add(self, node: Node, mention: Span | None = None) -> None:
        """Put a finished node into the open collection; `mention` is where the node is named, if that is elsewhere."""
        if not self._stack:
            self._root = node
            return
        parent, mention = self._stack[-1], mention or node.span
        if not parent.is_map:
            parent.items.append(node)
        elif parent.key is None:
            parent.key = self._check_key(node.value, mention, parent), mention
        # the key is `<<`: its value is merged
        elif parent.key[1] is parent.merge_key:
            parent.merged.extend(_list_mergeable(node, mention))
            parent.key = None
        else:
            parent.entries[parent.key[0]] = MappingEntry(parent.key[1], node)
            parent.key = None

    def _check_key(self, key: Any, span: Span, parent: _Open) -> str:
        """Return a key. Raises InputError for a value that is no text (FG002), or a key that is there already
        (FG003).
        """
        if not isinstance(key, str):
            is_text, kind = isinstance(key, bool | int | float), describe_kind(Node(key, span))
            hint = f'write "{kind}" in quotes' if is_text else "give it a name, in quotes if need be"
            raise fault("FG002", f"a key must be text, not {kind}", hint=hint, span=span)
        if key in parent.entries:
            self._refuse_duplicate(key, parent.entries[key].key, span)
        return key

    def _refuse_duplicate(self, key: str, first: Span, again: Span) -> NoReturn:
        """Raise InputError (FG003) for a key that a map has already."""
        hint = "keep one of the two; each key may be given once"
        raise fault("FG003", f"the key '{key}' is already given at line {first.line}", hint=hint, span=again)


def _list_mergeable(node: Node, at: Span) -> tuple[Node, ...]:
    """Return the mappings that `<<` brings in, those that win first. Raises InputError (FG005) for other values."""
    nodes = node.value if isinstance(node.value, tuple) else (node,)
    for merged in nodes:
        if not isinstance(merged.value, dict):
            kind = describe_kind(merged)
            raise fault("FG005", f"'<<' merges mappings, not {kind}", hint="write it like <<: *name", span=at)
    return nodes
