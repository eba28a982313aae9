"""Configuration text as a tree, read so that no line is passed over: what a parser does not know is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hier_config import Platform, get_hconfig
from hier_config.child import HConfigChild
from hier_config.exceptions import DuplicateChildError
from hier_config.root import HConfig

Line: TypeAlias = HConfigChild
Taker: TypeAlias = Callable[..., None]
"""Called with the line and the groups of the pattern that it matched."""


class UnknownTextError(ValueError):
    """A configuration says what the parser was not taught, or leaves out what it needs to make sense of the rest."""


@dataclass
class Rules:
    """Patterns of the lines that may stand in a section, and what takes each; first match wins."""

    takers: dict[re.Pattern[str], Taker | None] = field(default_factory=dict)

    def line(self, pattern: str) -> Callable[[Taker], Taker]:
        """Decorate what takes lines that match in whole."""

        def add(taker: Taker) -> Taker:
            self.takers[re.compile(pattern)] = taker
            return taker

        return add

    def nothing(self, *patterns: str) -> None:
        """Lines that are known, and say nothing that the neutral form has."""
        self.takers |= {re.compile(pattern): None for pattern in patterns}

    def read(self, section: Iterable[Line], *state: Any) -> None:
        """Take every line; raises UnknownTextError for one that no pattern matches."""
        for line in section:
            self._take(line, state)

    def _take(self, line: Line, state: tuple[Any, ...]) -> None:
        for pattern, taker in self.takers.items():
            if found := pattern.fullmatch(line.text):
                if taker is not None:
                    taker(*state, line, *found.groups())
                elif line.children:
                    break
                return
        raise UnknownTextError(f"not understood: {' / '.join(line.path())}")


_ENDS = {"", "!", "exit", "exit-address-family", "end"}
"""Lines that end a section, or separate it from the next."""


def tree(text: str) -> HConfig:
    """A configuration of indented sections; raises UnknownTextError where a line stands twice in one of them.

    The text of a banner becomes part of its line.

    EOS's own driver of the library is for finding what to change on a device, and ten times slower.
    """
    banners: dict[str, str] = {}

    def folded(match: re.Match[str]) -> str:
        banners[f"text-of {match[1]}"] = f"banner {match[1]}\n{match[2]}"
        return f"text-of {match[1]}\n"  # a word that means nothing to the library

    text = re.sub(r"^banner (login|motd)\n(.*?)\nEOF\n", folded, text, flags=re.M | re.S)
    lines = [line for line in text.splitlines() if line.strip() not in _ENDS]
    try:
        found = get_hconfig(Platform.GENERIC, "\n".join(lines))
    except DuplicateChildError as error:
        raise UnknownTextError(str(error)) from error
    if (read := sum(1 for _ in found.all_children())) != len(lines):
        raise UnknownTextError(f"{len(lines)} lines were read as {read}")
    for line in found.children:
        line.text = banners.get(line.text, line.text)
    return found


def only(values: Mapping[str, Any], *known: str) -> None:
    """Raises UnknownTextError where a row has a field besides those named."""
    if strange := sorted(set(values) - set(known)):
        raise UnknownTextError(f"fields not understood: {', '.join(strange)}")
