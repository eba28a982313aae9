"""The documentation as a site: a hook of mkdocs. Links to files beside `docs/` lead to the repository."""

from __future__ import annotations

import re
from typing import Any

_OUTSIDE = re.compile(r"\]\(\.\./([^)\s]+)\)")


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """Called by mkdocs with the text of each page, before it is rendered."""
    return _OUTSIDE.sub(rf"]({config.extra['repository']}/blob/main/\1)", markdown)
