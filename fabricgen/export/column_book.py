"""A workbook for large sheets, whose table of shared strings is written without a dozen calls for each string.

The bytes are those of xlsxwriter's own workbook; tests compare the two.
"""

from __future__ import annotations

import re

from xlsxwriter.packager import Packager
from xlsxwriter.sharedstrings import SharedStrings
from xlsxwriter.workbook import Workbook

_PLAIN = re.compile(r"[!-%'-;=-~](?:[ -%'-;=-~]*[!-%'-;=-~])?")
"""Text that XML needs no escaping for except `>`: printable ASCII without `&` and `<`, and no space at either end."""

_ESCAPE = "_x"
"""The start of what spreadsheets read as an escaped character code."""


class _Strings(SharedStrings):  # type: ignore[misc] # xlsxwriter tells no types
    """The table of shared strings; strings without special characters are written all at once."""

    def _write_si(self, string: str) -> None:
        if _PLAIN.fullmatch(string) and _ESCAPE not in string:
            self.fh.write(f"<si><t>{string.replace('>', '&gt;')}</t></si>")
        else:
            super()._write_si(string)


class _Package(Packager):  # type: ignore[misc] # xlsxwriter tells no types
    """The files of the workbook's zip package."""

    def _write_shared_strings_file(self) -> None:
        strings = _Strings()
        strings.string_table = self.workbook.str_table
        if strings.string_table.count:
            strings._set_xml_writer(self._filename("xl/sharedStrings.xml"))
            strings._assemble_xml_file()


class ColumnBook(Workbook):  # type: ignore[misc] # xlsxwriter tells no types
    """A workbook that writes its shared strings quickly."""

    def _get_packager(self) -> Packager:
        return _Package()
