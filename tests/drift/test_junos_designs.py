"""Juniper's validated designs of AI data centres, which are read but for what docs/junos.md lists."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from fabricgen.nos.junos.reader import STANZAS, Box
from fabricgen.nos.junos.reading.lines import as_lines
from fabricgen.nos.junos.reading.text import Words, read_lines
from fabricgen.nos.junos.statements import FILE, files_of, read_statements
from fabricgen.running.tree import read_tolerantly

PAGE = Path(__file__).resolve().parents[2] / "docs" / "junos.md"
LISTED = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(), re.M)


def designs() -> list[Path]:
    folder = os.environ.get("JUNIPER_JVD", "")
    if not folder:
        pytest.skip("set JUNIPER_JVD to a checkout of github.com/Juniper/jvd to read Juniper's own configurations")
    return sorted(Path(folder).glob("data_center/aidc/*/configuration/conf/*.conf"))


def is_unknown(words: Words) -> bool:
    """Whether no rule of the reader knows a statement."""
    if words[0] not in STANZAS:
        return True
    with read_tolerantly() as notes:
        STANZAS[words[0]].read(list(as_lines([words[1:]])), Box())
    return bool(notes.unknown)


def test_all_of_juniper_s_designs_is_read_but_what_the_page_lists() -> None:
    found = designs()
    assert len(found) == 14
    unknown = {" ".join(words) for file in found for words in read_lines(file.read_text()) if is_unknown(words)}
    assert [text for text in sorted(unknown) if not any(fnmatchcase(text, form) for form in LISTED)] == []
    assert [form for form in LISTED if not any(fnmatchcase(text, form) for text in unknown)] == []


def test_designs_become_the_same_statements_from_braces_and_from_lines() -> None:
    for file in designs():
        stated = read_statements({FILE: file.read_text()})
        assert read_statements(files_of(stated)) == stated, file.name
        lines = "".join(f"set {line[:-1]}\n" for line in files_of(stated)[FILE].splitlines())
        assert read_statements({FILE: lines}) == stated, file.name
