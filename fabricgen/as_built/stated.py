"""Stated overrides of cables as plain values: those of the overlay, and those stated elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any, TypeAlias

from pydantic import Field

from fabricgen.as_built.claims import Subject
from fabricgen.as_built.faults import refuse
from fabricgen.as_built.matching import Matcher
from fabricgen.blueprint.base import Model
from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.sections.cable_overrides import CableOverride, CableOverrides
from fabricgen.blueprint.sections.naming import HostName
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Span, make_printable
from fabricgen.kernel.units import format_number
from fabricgen.models.validation import validate
from fabricgen.yaml.located import read_located

CABLE_OF = "cable_of"

FIELDS = ("a_cage", "b_cage", "length_m", "medium", "part", "note")
"""The fields of an override, in the order in which they are written and reported."""

OverrideFields: TypeAlias = dict[str, Any]
"""The fields of a cable's override; cages are by planned DEVICE:CAGE, by "" for a single end."""

NAMES = "names"

HEAD = """\
# What was built otherwise than planned, written by `fabricgen as-built` or `fabricgen verify --accept`.
# The blueprint takes it with `include: {name}`.
"""


class OverlayNames(Model):
    """Names of single devices and nothing else."""

    devices: dict[str, HostName] = Field(default_factory=dict, description="Names of single devices.")


class Overlay(Model):
    """A file that holds overrides of single cables, and names of single devices, and nothing else."""

    cable_of: CableOverrides = Field(default_factory=dict, description="What single cables have of their own.")
    names: OverlayNames = Field(default_factory=OverlayNames, description="What single devices are called.")


@dataclass(frozen=True, slots=True)
class StatedOverrides:
    """The overrides before an import, by cable id: `mine` in the overlay, `others` elsewhere; these take precedence.

    `names` are those of single devices in the overlay. `included` says whether the blueprint includes the overlay.
    """

    mine: Mapping[str, OverrideFields]
    others: Mapping[str, OverrideFields]
    names: Mapping[str, str] = field(default_factory=dict)
    included: bool = True

    def merge_fields(self) -> dict[str, OverrideFields]:
        """Return the overrides in effect; `others` take precedence field by field."""
        return merge_overrides(self.mine, self.others)


def merge_overrides(
    overlay: Mapping[str, OverrideFields], elsewhere: Mapping[str, OverrideFields]
) -> dict[str, OverrideFields]:
    """Return overrides merged field by field; `elsewhere` take precedence."""
    return {cable: {**overlay.get(cable, {}), **elsewhere.get(cable, {})} for cable in (*overlay, *elsewhere)}


def read_overrides(loaded: LoadedBlueprint, overlay: str | None) -> StatedOverrides:
    """Return the overrides of a blueprint and an overlay file; without a file all of them count as `mine`.

    Raises InputError for an existing overlay that holds anything else.
    """
    overrides = {cable: list_stated_fields(override) for cable, override in loaded.blueprint.cable_of.items()}
    if overlay is None:
        return StatedOverrides(overrides, {}, loaded.blueprint.names.devices)
    real = os.path.realpath(overlay)
    keys = loaded.source.keys
    overlay_overrides, names = _read_overlay(overlay)
    elsewhere: dict[str, OverrideFields] = {}
    for cable, override in overrides.items():
        for name, value in override.items():
            stated_at = keys.get((CABLE_OF, cable, name)) or loaded.source.span((CABLE_OF, cable))
            if os.path.realpath(stated_at.file) != real:
                elsewhere.setdefault(cable, {})[name] = value
    paths = (
        (CABLE_OF,),
        *((CABLE_OF, cable) for cable in overlay_overrides),
        *((NAMES, "devices", device) for device in names),
    )
    places = (keys.get(path) for path in paths)
    files = {os.path.realpath(stated_at.file) for stated_at in places if stated_at}
    return StatedOverrides(overlay_overrides, elsewhere, names, included=real in files)


def _read_overlay(overlay: str) -> tuple[dict[str, OverrideFields], Mapping[str, str]]:
    """Return (overrides of cables, names of devices) of an overlay file, both empty if there is no such file; raises
    InputError (FG084) if it holds anything else.
    """
    path = FilePath(overlay)
    if not path.exists():
        return {}, {}
    located = read_located(path, shown_as=overlay)
    known_keys = (CABLE_OF, NAMES)
    other_keys = (
        [key for key in located.data if key not in known_keys] if isinstance(located.data, dict) else ["other things"]
    )
    if other_keys:
        refuse(
            f"'{overlay}' holds {', '.join(map(str, other_keys[:4]))}: writing it anew would take that away",
            Span(overlay, 1, 1),
            "name a file of its own for what was built",
        )
    content = validate(Overlay, located)
    return {cable: list_stated_fields(override) for cable, override in content.cable_of.items()}, content.names.devices


def list_stated_fields(override: CableOverride) -> OverrideFields:
    """Return the fields of an override that state something; "" and None say that a cable is as planned."""
    return {name: getattr(override, name) for name in FIELDS if getattr(override, name) not in (None, "")}


def format_overlay(overrides: Mapping[str, OverrideFields], name: str, names: Mapping[str, str]) -> str:
    """Return the text of an overlay file, sorted, one line a cable and a device; deterministic."""
    from fabricgen.blueprint.models import make_natural_key

    lines = [HEAD.format(name=make_printable(name)), f"{CABLE_OF}:" if any(overrides.values()) else f"{CABLE_OF}: {{}}"]
    for cable in sorted((cable for cable in overrides if overrides[cable]), key=make_natural_key):
        override = overrides[cable]
        fields = ", ".join(f"{name}: {_format_value(override[name])}" for name in FIELDS if name in override)
        lines.append(f"  {quote_text(cable)}: {{{fields}}}")
    if names:
        lines += [f"{NAMES}:", "  devices:"]
        lines += [
            f"    {quote_text(device)}: {quote_text(names[device])}" for device in sorted(names, key=make_natural_key)
        ]
    return "\n".join([lines[0] + lines[1], *lines[2:], ""])


def _format_value(value: Any) -> str:
    # a field of an override in YAML; cages by end as a mapping, or the one of the only end ("")
    if isinstance(value, float | int):
        return format_number(value)
    if isinstance(value, str):
        return quote_text(value)
    if "" in value:
        return quote_text(value[""])
    return "{" + ", ".join(f"{quote_text(place)}: {quote_text(value[place])}" for place in sorted(value)) + "}"


def quote_text(text: str) -> str:
    """Return text as a double-quoted scalar of YAML 1.2, with escapes for characters that are not printable."""
    escaped = (c if c.isprintable() and c not in '"\\' else _escape_character(c) for c in text)
    return '"' + "".join(escaped) + '"'


def _escape_character(c: str) -> str:
    return "\\" + c if c in '"\\' else f"\\u{ord(c):04x}" if ord(c) < 1 << 16 else f"\\U{ord(c):08x}"


# Claims merged into stated overrides, and designs with other overrides.


def apply_overrides(
    design: Design, overrides: Mapping[str, OverrideFields], names: Mapping[str, str] | None = None
) -> Design:
    """Return the design with other overrides of cables and, unless they are None, other names of single devices; sizing
    depends on neither.
    """
    cable_of = {cable: CableOverride.model_validate(override) for cable, override in overrides.items()}
    blueprint = design.loaded.blueprint.model_copy(update={CABLE_OF: cable_of})
    if names is not None:
        named = blueprint.names.model_copy(update={"devices": dict(names)})
        blueprint = blueprint.model_copy(update={"names": named})
    return replace(design, loaded=replace(design.loaded, blueprint=blueprint))


def find_stated_value(value: Any, subject: Subject, matcher: Matcher) -> Any:
    """Return the stated value of a claim's field and end, in the form of claims; None if it is as planned."""
    if not subject.field.endswith("_cage") or value is None:
        return value
    return dict(_list_cages(value, subject, matcher)).get(subject.key)


def _list_cages(value: Mapping[str, str], subject: Subject, matcher: Matcher) -> Iterator[tuple[str, str]]:
    """Yield (key, cage) of the stated ends that are not as planned, in the form of claims."""
    upper = subject.field == "b_cage"
    for end in matcher.cables.list_ends(subject.cable, upper=upper):
        key = matcher.find_override_key(end, subject.cable)
        # all ways in which an overlay may name this end
        texts = (value.get(word) for word in ("", key, end.place, f"{end.place}.{end.connector + 1}", end.name))
        text = next((text for text in texts if text is not None), None)
        position = matcher.find_position(text, end) if text is not None else None
        if position is not None and position != matcher.find_planned_position(end):
            yield key, matcher.format_position(position, end)


def put_value(override: OverrideFields, subject: Subject, value: Any, matcher: Matcher) -> None:
    """Set a field of an override in place, or remove it where the cable is as planned (`value` None)."""
    if subject.field.endswith("_cage"):
        cages = dict(_list_cages(override.get(subject.field, {}), subject, matcher))
        cages.pop(subject.key, None)
        value = {**cages, subject.key: value} if value is not None else cages
    if value is None or value == {}:
        override.pop(subject.field, None)
    else:
        override[subject.field] = value
