"""The environment of the templates that ship with the package, and the filter `as_json` that they have beside
Jinja2's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from fabricgen.kernel.discovery import find_resource_dir

if TYPE_CHECKING:
    import jinja2


@cache
def load_templates() -> jinja2.Environment:
    """Return the environment of the templates that ship with the package. A process has one, so that each template
    is compiled once.
    """
    return _make_environment(autoescape=False)


@cache
def load_page_templates() -> jinja2.Environment:
    """Return the environment of templates of HTML pages: values are escaped, unless they are markup."""
    return _make_environment(autoescape=True)


def _make_environment(*, autoescape: bool) -> jinja2.Environment:
    """Make an environment of the templates that ship with the package."""
    import jinja2

    from fabricgen.kernel.named_templates import NamedTemplates

    environment = jinja2.Environment(
        loader=NamedTemplates(jinja2.FileSystemLoader(find_resource_dir("templates"))),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=autoescape,  # noqa: S701 - what is not HTML is made safe for its place before it gets here
        auto_reload=False,
    )
    environment.filters["as_json"] = format_json
    return environment


_quote = json.JSONEncoder().encode


def format_json(value: Any, margin: int = 0) -> str:
    """Return a value as JSON that holds text alone, as SONiC's config_db does: numbers become text, truth values `true`
    and `false`. Keys are sorted, and left out if the value is None. All lines but the first are indented by `margin`
    blanks.

    Jinja2's own `tojson` is for HTML: it writes `&` as \\u0026. The encoder of `json` goes through a value in Python
    once it indents, and takes three times as long: a hall of SONiC has a million values.
    """
    return _format_json(value, "\n" + " " * margin)


def _format_json(value: Any, newline: str) -> str:
    """Return a value within another like `format_json`; `newline` is a line break with the indentation there."""
    if isinstance(value, str):
        return _quote(value)
    deeper = f"{newline}    "
    if isinstance(value, Mapping):
        texts = {str(key): _format_json(inner, deeper) for key, inner in value.items() if inner is not None}
        return _format_brackets("{}", [f"{_quote(key)}: {texts[key]}" for key in sorted(texts)], newline)
    if isinstance(value, list | tuple):
        return _format_brackets("[]", [_format_json(inner, deeper) for inner in value], newline)
    return _quote(str(value).lower() if isinstance(value, bool) else str(value))


def _format_brackets(brackets: str, parts: list[str], newline: str) -> str:
    """Return the items in brackets, each on a line of its own."""
    within = f",{newline}    ".join(parts)
    return f"{brackets[0]}{newline}    {within}{newline}{brackets[1]}" if parts else brackets
