"""The environment of the templates that ship with the package."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

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

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(resource_dir("templates")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=autoescape,  # noqa: S701 - what is not HTML is made safe for its place before it gets here
        auto_reload=False,
    )
