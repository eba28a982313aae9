"""Claims merged into stated overrides, and designs with other overrides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fabricgen.as_built.claims import Subject
from fabricgen.as_built.matching import Matcher
from fabricgen.as_built.stated import CABLE_OF, OverrideFields
from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.design.model import Design


def with_overrides(
    design: Design, stated: Mapping[str, OverrideFields], names: Mapping[str, str] | None = None
) -> Design:
    """The design with other overrides of cables, and other names of single devices; sizing depends on neither."""
    cable_of = {cable: CableOverride.model_validate(own) for cable, own in stated.items()}
    blueprint = design.loaded.blueprint.model_copy(update={CABLE_OF: cable_of})
    if names is not None:
        named = blueprint.names.model_copy(update={"devices": dict(names)})
        blueprint = blueprint.model_copy(update={"names": named})
    return replace(design, loaded=replace(design.loaded, blueprint=blueprint))


def stated_value(value: Any, subject: Subject, matcher: Matcher) -> Any:
    """The stated value of a claim's field and end, in the form of claims."""
    if not subject.field.endswith("_cage") or value is None:
        return value
    return dict(_cages(value, subject, matcher)).get(subject.key)


def _cages(value: Mapping[str, str], subject: Subject, matcher: Matcher) -> Iterator[tuple[str, str]]:
    """(key, cage) of the stated ends that are not as planned, in the form of claims."""
    upper = subject.field == "b_cage"
    for end in matcher.cables.ends(subject.cable, upper=upper):
        key = matcher.key(end, subject.cable)
        texts = (value.get(word) for word in ("", key, end.place, f"{end.place}.{end.connector + 1}", end.name))
        text = next((text for text in texts if text is not None), None)
        spot = matcher.spot(text, end) if text is not None else None
        if spot is not None and spot != matcher.planned(end):
            yield key, matcher.label(spot, end)


def put_value(own: OverrideFields, subject: Subject, value: Any, matcher: Matcher) -> None:
    """Set a field, or remove it where the cable is as planned."""
    if subject.field.endswith("_cage"):
        cages = dict(_cages(own.get(subject.field, {}), subject, matcher))
        cages.pop(subject.key, None)
        value = {**cages, subject.key: value} if value is not None else cages
    if value is None or value == {}:
        own.pop(subject.field, None)
    else:
        own[subject.field] = value
