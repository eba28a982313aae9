"""The environment of the templates that ship with the package."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fabricgen.kernel.resources import resource_dir

if TYPE_CHECKING:
    import jinja2


@cache
def built_in_templates() -> jinja2.Environment:
    """The environment of the templates that ship with the package: one a process, compiled once."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(resource_dir("templates")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - not HTML; values are made safe for their place before they get here
        auto_reload=False,
    )
