"""YAML as plain data, without the place of anything: for files that are part of the program and read at every start."""

from __future__ import annotations

from functools import cache
from pathlib import Path as FilePath
from typing import Any

from fabricgen.kernel.diagnostics import InputError, Span
from fabricgen.kernel.text_input import decode, read_bytes
from fabricgen.yaml.scalars import Scalar, resolve_scalar

_NOWHERE = Span("", 1, 1)


class NotPlainError(ValueError):
    """A text has more than mappings, lists and scalars, or something is wrong in it."""


def read_plain(file: FilePath) -> Any:
    """What `read_located(file).data` is, in half the time.

    Raises NotPlainError where that would raise InputError, and for anchors, aliases, merges and tags, which are not
    known here: read the file with places then.
    """
    from ruamel.yaml.error import YAMLError

    try:
        return parse_plain(decode(read_bytes(file, str(file)), str(file)))
    except (InputError, YAMLError) as error:
        raise NotPlainError(str(file)) from error


def parse_plain(text: str) -> Any:
    """Likewise of text; raises YAMLError, InputError or NotPlainError."""
    from ruamel.yaml.cyaml import CBaseLoader
    from ruamel.yaml.events import (
        DocumentStartEvent,
        MappingEndEvent,
        ScalarEvent,
        SequenceEndEvent,
        SequenceStartEvent,
        StreamEndEvent,
    )

    following = CBaseLoader(text).get_event

    def value(event: Any) -> Any:
        if event.anchor or getattr(event, "tag", None):
            raise NotPlainError(event.anchor or event.tag)
        kind = type(event)
        if kind is ScalarEvent:
            return event.value if event.style else _scalar(event.value)
        return items() if kind is SequenceStartEvent else entries()

    def items() -> list[Any]:
        found = []
        while type(event := following()) is not SequenceEndEvent:
            found.append(value(event))
        return found

    def entries() -> dict[str, Any]:
        found: dict[str, Any] = {}
        while type(event := following()) is not MappingEndEvent:
            key = value(event)
            if not isinstance(key, str) or key in found or key == "<<":
                raise NotPlainError(key)
            found[key] = value(following())
        return found

    while type(event := following()) not in (DocumentStartEvent, StreamEndEvent):
        pass
    data = value(following()) if type(event) is DocumentStartEvent else None
    following()
    if data is None or type(following()) is not StreamEndEvent:
        raise NotPlainError("not one document")
    return data


@cache
def _scalar(text: str) -> Scalar:
    return resolve_scalar(text, None, plain=True, span=_NOWHERE)
