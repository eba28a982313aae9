"""The environment of the templates that ship with the package, and the filter that they have beside Jinja2's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from fabricgen.kernel.resources import resource_dir

if TYPE_CHECKING:
    import jinja2


@cache
def built_in_templates() -> jinja2.Environment:
    """The environment of the templates that ship with the package: one a process, so that each is compiled once."""
    return _environment(autoescape=False)


@cache
def built_in_pages() -> jinja2.Environment:
    """The same for pages of HTML: what they are given is escaped, unless it is markup."""
    return _environment(autoescape=True)


def _environment(*, autoescape: bool) -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resource_dir("templates")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=autoescape,  # noqa: S701 - what is not HTML is made safe for its place before it gets here
        auto_reload=False,
    )
    environment.filters["as_json"] = as_json
    return environment


_JSON = json.JSONEncoder(indent=4, sort_keys=True)


def as_json(value: Any, margin: int = 0) -> str:
    """A value as JSON that holds text alone, as SONiC's config_db does: numbers become text, truth values `true` and
    `false`. Keys are sorted, and left out where the value is None. All lines but the first are indented by `margin`.

    Jinja2's own `tojson` is for HTML: it writes `&` as \\u0026.
    """
    texts = _as_texts(value)
    return _JSON.encode(texts).replace("\n", "\n" + " " * margin) if texts else json.dumps(texts)


def _as_texts(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _as_texts(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [_as_texts(inner) for inner in value]
    return str(value).lower() if isinstance(value, bool) else str(value)
