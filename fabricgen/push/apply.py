"""Write changes to NetBox, in batches, so that what was written stays and a second run goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from time import monotonic
from typing import Any

from fabricgen.addons.netbox_objects.kinds import LEADS
from fabricgen.push.client import NetBox, RefusedError, find_first_reason
from fabricgen.push.state import TYPES, NetboxChange, NetboxChanges, NetboxState, Reference

AT_ONCE = {"cables": 20}
"""Objects of a batch, for kinds that differ from USUAL: NetBox traces the path of every cable before it answers."""
USUAL = 50
"""Objects of a batch of any other kind."""
IN_USE = 409
"""NetBox's status code for deleting an object to which others refer."""

EXTRA: Mapping[str, dict[str, Any]] = {"dcim/modules": {"replicate_components": False}}
"""What else is sent with a new object, by path.

A module gets no components by the templates of its type, which the plan knows nothing of: NetBox 4.6.8 takes five times
as long to look for them (dcim/api/serializers_/devices.py); releases whose API has no such field pass it over.
"""
Told = Callable[[str, int, int, float], None]
"""Is told progress: (kind, how many are done, of how many, how many a second)."""


class Pusher:
    """Writes the changes that a NetboxState found, and tells how far it is."""

    def __init__(self, netbox: NetBox, state: NetboxState, tell: Told) -> None:
        self._netbox, self._state, self._tell = netbox, state, tell

    def apply_differences(self, differences: NetboxChanges, *, delete: bool) -> list[str]:
        """Delete if that is asked for, then make and change; return what NetBox would not delete, and why.

        Raises RefusedError at the first batch that NetBox does not take; what was written before stays.
        """
        self._make_tag(self._state.tag, "9e9e9e")
        if any(
            tag["slug"] == self._state.drift for change in differences.list_tagged() for tag in change.fields["tags"]
        ):
            self._make_tag(self._state.drift, "f44336")
        late = self._delete_objects(differences.delete) if delete else []
        self._write_in_batches("devices unmarked", differences.unmarks, self._change_objects)
        # what stood in the way of these was deleted just now
        making = [*differences.make, *(change for change in differences.blocked if delete and change.number)]
        for kind in self._state.kinds:
            self._write_in_batches(
                f"{kind.name} made", [change for change in making if change.kind is kind], self._make_objects
            )
            self._write_in_batches(
                f"{kind.name} changed",
                [change for change in differences.change if change.kind is kind],
                self._change_objects,
            )
        self._write_in_batches("devices marked", differences.marks, self._change_objects)
        # once more: what referred to some of them may have been changed meanwhile
        return [
            f"{change.kind.name} {' '.join(change.key)}: {why}"
            for change, why in self._delete_objects([change for change, _ in late])
        ]

    def _make_tag(self, slug: str, color: str) -> None:
        if not list(self._netbox.list_records("extras/tags", slug=slug)):
            self._netbox.create_records(
                "extras/tags", [{"name": slug.replace("-", " ", 1), "slug": slug, "color": color}]
            )

    def _write_in_batches(
        self, title: str, changes: Sequence[NetboxChange], write: Callable[[Sequence[NetboxChange]], None]
    ) -> None:
        """Write changes of one kind, and tell how far it is; the first word of `title` is the kind.

        Raises RefusedError, which names the object that is to blame.
        """
        size, started = AT_ONCE.get(title.partition(" ")[0], USUAL), monotonic()
        for first in range(0, len(changes), size):
            batch = changes[first : first + size]
            try:
                write(batch)
            except RefusedError as refused:
                raise self._blame_object(refused, batch) from None
            done = first + len(batch)
            self._tell(title, done, len(changes), done / max(monotonic() - started, 1e-3))

    def _blame_object(self, refused: RefusedError, batch: Sequence[NetboxChange]) -> RefusedError:
        """Return the error for a refused batch; it names the first object that NetBox complains of, if the answer tells
        it.

        The answer has an entry for each object of the batch, in the same order.
        """
        answer = refused.answer
        if not (isinstance(answer, list) and len(answer) == len(batch)):
            return refused
        change, reason = next(
            (pair for pair in zip(batch, map(find_first_reason, answer), strict=True) if pair[1]), (batch[0], "")
        )
        text = f"{self._netbox.TITLE} does not take {change.kind.name} {' '.join(change.key)}: {reason}"
        return RefusedError(refused.status, text, answer, "what was written before is kept: mend it, and run it again")

    def _make_objects(self, batch: Sequence[NetboxChange]) -> None:
        """Make the objects of a batch, all of one kind, and note their ids for other objects that refer to them."""
        kind = batch[0].kind
        own, extra = {"slug": self._state.tag}, EXTRA.get(kind.path, {})
        bodies = [self._write_body(change) for change in batch]
        records = self._netbox.create_records(
            kind.path, [body | extra | {"tags": [*body.get("tags", ()), own]} for body in bodies]
        )
        for change, record in zip(batch, records, strict=True):
            self._state.ids[kind.path][change.key] = record["id"]

    def _change_objects(self, batch: Sequence[NetboxChange]) -> None:
        numbers = [change.number or self._state.ids[change.kind.path][change.key] for change in batch]
        bodies = [{"id": number} | self._write_body(change) for number, change in zip(numbers, batch, strict=True)]
        self._netbox.change_records(batch[0].kind.path, bodies)

    def _write_body(self, change: NetboxChange) -> dict[str, Any]:
        """Return the fields of a change as the API takes them: references as ids, ends of cables as lists."""
        body: dict[str, Any] = {}
        for name, value in change.fields.items():
            if name in ("a", "b"):
                body[f"{name}_terminations"] = [
                    {"object_type": TYPES[end.path], "object_id": self._find_id(end)} for end in value
                ]
            elif name == LEADS:
                body[name] = [{part: self._find_id(inside) for part, inside in entry.items()} for entry in value]
            else:
                body[name] = self._find_id(value)
        return body

    def _find_id(self, value: Any) -> Any:
        """Return the id of the object that a reference names; any other value as it is."""
        return self._state.ids[value.path][value.key] if isinstance(value, Reference) else value

    def _delete_objects(self, changes: Sequence[NetboxChange]) -> list[tuple[NetboxChange, str]]:
        """Delete objects in batches; return (change, reason) of those that NetBox would not delete.

        The objects of a batch in which one is in use are deleted one by one.
        """
        undeleted, started, done = list[tuple[NetboxChange, str]](), monotonic(), 0
        for path, grouped in groupby(changes, key=lambda change: change.kind.path):
            path_changes = list(grouped)
            for first in range(0, len(path_changes), USUAL):
                batch = path_changes[first : first + USUAL]
                if not self._try_delete(path, batch):
                    undeleted += [(change, why) for change in batch if (why := self._delete_single(change))]
                done += len(batch)
                self._tell("objects deleted", done, len(changes), done / max(monotonic() - started, 1e-3))
        return undeleted

    def _try_delete(self, path: str, batch: Sequence[NetboxChange]) -> bool:
        """Delete a batch; return False, with nothing deleted, if an object of it is in use."""
        try:
            self._netbox.delete_records(path, [change.number for change in batch])
        except RefusedError as refused:
            if refused.status != IN_USE:
                raise
            return False
        return True

    def _delete_single(self, change: NetboxChange) -> str:
        """Delete an object; return "" if it is gone or, if it is still in use, NetBox's text on what refers to it."""
        try:
            self._netbox.delete_records(change.kind.path, [change.number])
        except RefusedError as refused:
            if refused.status != IN_USE:
                raise
            return find_first_reason(refused.answer)[:200]
        return ""
