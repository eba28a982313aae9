"""The words of `--fail-on`, and whether a change matches them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from fabricgen.diff.compare import ClusterChange
from fabricgen.kernel.diagnostics import did_you_mean, fault


def _make_counter(kind: str, *changes: str) -> Callable[[ClusterChange], bool]:
    # make a check of whether a change has rows of a kind that changed in one of these ways

    def happens(change: ClusterChange) -> bool:
        delta = change.deltas.get(kind)
        # `renamed` is among the ways of devices to change only if a device is renamed
        return (
            delta is not None
            and delta.count(
                *(change_kind for change_kind in changes if change_kind != "renamed" or change_kind in delta.ways)
            )
            > 0
        )

    return happens


def _is_renumbered(change: ClusterChange) -> bool:
    return any(_make_counter(kind, "renumbered")(change) for kind in ("devices", "links", "addresses"))


def _costs_more(change: ClusterChange) -> bool:
    return bool(change.bom and (change.bom.cost or 0) > 0)


def _changes_configs(change: ClusterChange) -> bool:
    return bool(change.configs and any(file.state == "changed" for file in change.configs.files))


WORDS: Mapping[str, tuple[str, Callable[[ClusterChange], bool]]] = {
    "any": ("any difference", bool),
    "none": ("nothing: a report only", lambda _: False),
    "added-device": ("a device is new", _make_counter("devices", "added")),
    "removed-device": ("a device goes", _make_counter("devices", "removed")),
    "renamed-device": ("a device has another name", _make_counter("devices", "renamed")),
    "moved-device": ("a device stands elsewhere", _make_counter("devices", "moved")),
    "replaced-device": ("a device becomes another model or runs another NOS", _make_counter("devices", "replaced")),
    "renumbered": ("an AS number, router id or address of something that stays changes", _is_renumbered),
    "added-cable": ("a cable is new", _make_counter("cables", "added")),
    "removed-cable": ("a cable goes", _make_counter("cables", "removed")),
    "moved-cable": ("a cable that stays is plugged in elsewhere", _make_counter("cables", "moved", "re-terminated")),
    "replaced-cable": (
        "a cable between the same places becomes another part",
        _make_counter("cables", "other-medium", "other-length", "other-part"),
    ),
    "swapped-optic": ("a cage takes another transceiver", _make_counter("optics", "swapped")),
    "session-flap": ("a BGP session that stays goes down and comes up", _make_counter("sessions", "changed")),
    "removed-session": ("a BGP session ends", _make_counter("sessions", "removed")),
    "changed-config": ("the configuration of a switch that stays changes", _changes_configs),
    "cost": ("the parts to buy cost more", _costs_more),
}
"""Word -> (its meaning, whether a change matches it)."""


def parse_fail_on(text: str) -> tuple[str, ...]:
    """Read words from a comma-separated list; raises InputError (FG046) for an unknown word, or none."""
    words = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    for word in words:
        if word not in WORDS:
            raise fault("FG046", f"--fail-on does not know '{word}'", hint=did_you_mean(word, WORDS))
    if not words:
        raise fault("FG046", "--fail-on names nothing", hint=f"known: {', '.join(WORDS)}")
    return words


def matches_any(change: ClusterChange, words: Iterable[str]) -> bool:
    """Whether a change matches any of some `WORDS`; raises KeyError for another word."""
    return any(WORDS[word][1](change) for word in words)
