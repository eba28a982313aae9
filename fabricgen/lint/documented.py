"""What every code has: a page of its own, made from the class that stands for it, and a family."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping
from typing import ClassVar, TypeVar

from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Severity

FAMILIES: Mapping[str, str] = {
    "FG0": "input",
    "FG1": "capacity",
    "FG2": "oversubscription",
    "FG3": "topology",
    "FG4": "failure",
    "FG5": "addressing",
    "FG6": "physical",
    "FG7": "configuration",
    "FG8": "hygiene",
    "FG9": "check",
}
"""What codes are about, by how they begin."""


class Documented:
    """A code that findings carry; the docstring says what it claims, why it matters, and what to do.

    `bad` and `good` are blueprint fragments laid over a small valid blueprint (lint/examples.py); in `bad`, `# <-`
    marks the line that must be flagged. They are the test of the code, its manual page and its example at once.
    """

    id: ClassVar[str]
    severity: ClassVar[Severity]
    title: ClassVar[str]
    bad: ClassVar[str]
    good: ClassVar[str]
    in_words: ClassVar[bool] = False
    """Whether `bad` and `good` are no blueprints, since what they show lies outside of one."""
    kind: ClassVar[str]
    """What stands behind the code, as readers are told."""

    @property
    def name(self) -> str:
        """A name for programs that show one, in PascalCase."""
        return type(self).__name__

    @property
    def family(self) -> str:
        """What the code is about, in one word."""
        return FAMILIES[self.id[:3]]

    @property
    def about(self) -> str:
        """Claim, reason and remedy."""
        return inspect.cleandoc(self.__doc__ or "")

    @property
    def examples(self) -> tuple[str, str]:
        """What is flagged, and what is right."""
        return textwrap.dedent(self.bad).strip(), textwrap.dedent(self.good).strip()


D = TypeVar("D", bound=Documented)


def registered(package: str, kind: type[D], *, prefix: str = "") -> tuple[D, ...]:
    """One instance of each class of a kind in the modules of a folder, by id; `prefix` limits it to some codes.

    Raises ValueError for an id used twice, or unlike the module's name.
    """
    found: dict[str, D] = {}
    names = (name for name in discovery.module_names(package) if name.startswith(prefix.lower()))
    for module in (discovery.load(package, name) for name in names):
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__ and issubclass(value, kind):
                made = value()
                if not module.__name__.rpartition(".")[2].startswith(f"{made.id.lower()}_"):
                    raise ValueError(f"{module.__name__} holds {made.id}; a module is named after its code")
                if made.id in found:
                    raise ValueError(f"{made.id} is the id of two classes")
                found[made.id] = made
    return tuple(made for _, made in sorted(found.items()))
