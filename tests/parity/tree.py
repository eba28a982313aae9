"""Configuration text as a tree, read so that no line is passed over: what a parser does not know is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hier_config import Platform, get_hconfig
from hier_config.child import HConfigChild
from hier_config.root import HConfig

Line: TypeAlias = HConfigChild
Taker: TypeAlias = Callable[..., None]
"""Called with the line and the groups of the pattern that it matched."""


class UnknownText(AssertionError):
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
        """Take every line; raises UnknownText for one that no pattern matches."""
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
        raise UnknownText(f"not understood: {' / '.join(line.path())}")


def eos_tree(text: str) -> HConfig:
    """An EOS configuration; raises UnknownText where a section stands twice."""
    return _tree(Platform.ARISTA_EOS, text)


_ENDS = {"!", "exit", "exit-address-family", "end"}


def frr_tree(text: str) -> HConfig:
    """An frr.conf, without the words that end its sections."""
    lines = [line for line in text.splitlines() if line.strip() not in _ENDS]
    return _tree(Platform.GENERIC, "\n".join(lines))


def _tree(platform: Platform, text: str) -> HConfig:
    tree = get_hconfig(platform, text)
    words = re.compile(r"\s*(!|end)?\s*")
    wanted = sum(not words.fullmatch(line) for line in text.splitlines())
    found = sum(1 for line in tree.all_children() if line.text != "end")
    if found != wanted:
        raise UnknownText(f"{wanted} lines were read as {found}")
    return tree


def only(values: Mapping[str, Any], *known: str) -> None:
    """Raises UnknownText where a row has a field besides those named."""
    if strange := sorted(set(values) - set(known)):
        raise UnknownText(f"fields not understood: {', '.join(strange)}")
