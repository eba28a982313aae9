"""Write changes to NetBox, in batches, so that what was written stays and a second run goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from fabricgen.push.client import NetBox, RefusedError, first_reason
from fabricgen.push.state import Change, Changes, State, Wanted

AT_ONCE = {"cables": 20}
"""Objects of a batch, where that is not USUAL: NetBox traces the path of every cable before it answers."""
USUAL = 50
IN_USE = 409
"""NetBox's answer to deleting what others refer to."""

Told = Callable[[str, int, int, float], None]
"""Is told progress: (kind, how many are done, of how many, how many a second)."""


class Pusher:
    """Writes the changes that a State found."""

    def __init__(self, netbox: NetBox, state: State, told: Told) -> None:
        self._netbox, self._state, self._told = netbox, state, told

    def apply(self, found: Changes, *, delete: bool) -> list[str]:
        """Delete if that is asked for, then make and change; returns what NetBox would not delete, and why.

        Raises RefusedError at the first batch that NetBox does not take; what was written before stays.
        """
        if not list(self._netbox.records("extras/tags", slug=self._state.tag)):
            name = self._state.tag.replace("-", " ", 1)
            self._netbox.make("extras/tags", [{"name": name, "slug": self._state.tag, "color": "9e9e9e"}])
        late = self._delete(found.delete) if delete else []
        self._batches("devices unmarked", found.unmarks, self._change)
        making = [*found.make, *(each for each in found.blocked if delete and each.number)]
        for kind in self._state.kinds:
            self._batches(f"{kind.name} made", [each for each in making if each.kind is kind], self._make)
            self._batches(f"{kind.name} changed", [each for each in found.change if each.kind is kind], self._change)
        self._batches("devices marked", found.marks, self._change)
        return [
            f"{each.kind.name} {' '.join(each.key)}: {why}" for each, why in self._delete([each for each, _ in late])
        ]

    def _batches(self, what: str, changes: Sequence[Change], write: Callable[[Sequence[Change]], None]) -> None:
        size, started = AT_ONCE.get(what.partition(" ")[0], USUAL), monotonic()
        for first in range(0, len(changes), size):
            some = changes[first : first + size]
            try:
                write(some)
            except RefusedError as refused:
                raise self._named(refused, some) from None
            done = first + len(some)
            self._told(what, done, len(changes), done / max(monotonic() - started, 1e-3))

    @staticmethod
    def _named(refused: RefusedError, some: Sequence[Change]) -> RefusedError:
        """The refusal of a batch with the first object that is to blame, which NetBox tells by its place."""
        answer = refused.answer
        if not (isinstance(answer, list) and len(answer) == len(some)):
            return refused
        change, reason = next(
            (pair for pair in zip(some, map(first_reason, answer), strict=True) if pair[1]), (some[0], "")
        )
        text = f"NetBox does not take {change.kind.name} {' '.join(change.key)}: {reason}"
        return RefusedError(refused.status, text, answer, "what was written before is kept: mend it, and run it again")

    def _make(self, some: Sequence[Change]) -> None:
        kind = some[0].kind
        made = self._netbox.make(kind.path, [self._body(each) | {"tags": [{"slug": self._state.tag}]} for each in some])
        for each, record in zip(some, made, strict=True):
            self._state.ids[kind.path][each.key] = record["id"]

    def _change(self, some: Sequence[Change]) -> None:
        numbers = [each.number or self._state.ids[each.kind.path][each.key] for each in some]
        bodies = [{"id": number} | self._body(each) for number, each in zip(numbers, some, strict=True)]
        self._netbox.change(some[0].kind.path, bodies)

    def _body(self, change: Change) -> dict[str, Any]:
        body: dict[str, Any] = {}
        for name, value in change.fields.items():
            number = self._state.ids[value.path][value.key] if isinstance(value, Wanted) else value
            if name in ("a", "b"):
                body[f"{name}_terminations"] = [{"object_type": "dcim.interface", "object_id": number}]
            else:
                body[name] = number
        return body

    def _delete(self, changes: Sequence[Change]) -> list[tuple[Change, str]]:
        """Delete one by one; (what is in use, how NetBox says it)."""
        kept, started = list[tuple[Change, str]](), monotonic()
        for done, each in enumerate(changes, start=1):
            try:
                self._netbox.delete(each.kind.path, each.number)
            except RefusedError as refused:
                if refused.status != IN_USE:
                    raise
                kept.append((each, first_reason(refused.answer)[:200]))
            self._told("objects deleted", done, len(changes), done / max(monotonic() - started, 1e-3))
        return kept
