"""Cell formats of a workbook, one for each use."""

from __future__ import annotations

from functools import cache
from typing import Any

from fabricgen.export.technician.records import CableTag

TEXT, SMALL, NUMBER, BOLD, MARK, REDLINE, CLOSED = "text", "small", "number", "bold", "mark", "redline", "closed"
"""Uses of a cell: text, small text, numbers, emphasized text, a cable tag, to be filled in by hand, not to be filled
in.
"""

_FONT = {"font_name": "Arial", "font_size": 10, "valign": "vcenter"}

_LINE = {"bottom": 1, "bottom_color": "#8C8C8C", "left": 7, "left_color": "#8C8C8C"}
"""A line below each cell, and a hair on its left: a device and the cage beside it are two words."""

_USES: dict[str, dict[str, Any]] = {
    TEXT: {},
    SMALL: {"font_size": 8, "text_wrap": True},
    NUMBER: {"align": "right", "indent": 1},
    BOLD: {"bold": True},
    MARK: {"bold": True, "align": "center"},
    REDLINE: {"locked": False, "left": 1, "right": 1, "bg_color": "#FFFBE6"},
    CLOSED: {"left": 1, "right": 1, "bg_color": "#BFBFBF"},
}

_BAND = "#EDEDED"

HEADER_FILL = "#D9D9D9"


class Styles:
    """The cell formats of one workbook."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self.of = cache(self._of)
        self.tag = cache(self._tag)

    def _of(self, use: str, band: bool = False) -> Any:
        """The format of a use; `band` shades it, as every other group of rows is."""
        shade = {"bg_color": _BAND} if band and use not in (REDLINE, CLOSED) else {}
        return self._book.add_format({**_FONT, **_LINE, **_USES[use], **shade})

    def _tag(self, tag: CableTag) -> Any:
        """The format of a cell in the colour of a cable tag."""
        return self._book.add_format(
            {**_FONT, **_LINE, **_USES[MARK], "bg_color": tag.fill, "font_color": tag.ink, "right": 1}
        )

    @property
    def header(self) -> Any:
        """The format of column heads."""
        look = {"bold": True, "text_wrap": True, "top": 1, "bottom": 2, "bg_color": HEADER_FILL, "align": "left"}
        return self._book.add_format({**_FONT, "font_size": 8, **look})

    def heading(self, size: int) -> Any:
        """The format of a heading on the cover, of so many points."""
        return self._book.add_format({**_FONT, "bold": True, "font_size": size})

    @property
    def prose(self) -> Any:
        """The format of paragraphs on the cover."""
        return self._book.add_format({**_FONT, "font_size": 10, "text_wrap": True, "valign": "top"})
