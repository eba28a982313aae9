"""Merging of a user's data into rendered data (snippets with a `tree`), YAML output, and a check that no snippet of
lines is lost in rendering.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from fabricgen.kernel.diagnostics import fault
from fabricgen.render.escape import yaml_text
from fabricgen.views.switch import PlacedSnippet, SwitchView


def read_data(file: str, text: str) -> Any:
    """Data from the text of a JSON or YAML file rendered by templates.

    Raises InputError (FG033) for invalid text, as a user's own template may produce. The error does not repeat the
    text, as it may contain secrets.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    kind = "JSON" if file.endswith(".json") else "YAML"
    try:
        return json.loads(text) if kind == "JSON" else YAML(typ="safe").load(text)
    except (ValueError, YAMLError, RecursionError):
        raise fault("FG033", f"the templates' output for {file} is not {kind}") from None


def merged(base: Mapping[str, Any], tree: Mapping[str, Any], snippet: PlacedSnippet, at: str = "") -> dict[str, Any]:
    """A snippet's tree, or a part of it, merged into data: mappings key by key, other values replaced.

    Raises InputError (FG052) where one has a mapping and the other a value, so that the snippet mistakes the place.
    """
    found = dict(base)
    for key, value in tree.items():
        place = f"{at}/{key}" if at else str(key)
        name = _like(found, key)
        if name not in found:
            found[name] = value
        elif isinstance(found[name], Mapping) != isinstance(value, Mapping):
            what = "a tree" if isinstance(value, Mapping) else "a value"
            message = f"the snippet '{snippet.name}' puts {what} at {place}, where the configuration has the other"
            raise fault("FG052", message, path=(*snippet.path, "tree"))
        else:
            found[name] = merged(found[name], value, snippet, place) if isinstance(value, Mapping) else value
    return found


def _like(base: Mapping[str, Any], key: Any) -> Any:
    """The key of a mapping with the same spelling: a blueprint's 3 is the configuration's "3"."""
    return next((known for known in base if str(known) == str(key)), key)


def first_at_fault(
    snippets: tuple[PlacedSnippet, ...], fails: Callable[[tuple[PlacedSnippet, ...]], bool]
) -> PlacedSnippet:
    """Of several snippets that fail together, the first that fails together with those before it."""
    for count in range(1, len(snippets)):
        if fails(snippets[:count]):
            return snippets[count - 1]
    return snippets[-1]


_PLAIN = re.compile(r"(?!(?:y|yes|n|no|on|off|true|false|null)$)[a-z][a-z0-9_./-]*", re.IGNORECASE)
"""Text that YAML 1.1 and 1.2 both read as a string without quotes."""


def as_yaml(data: Any) -> str:
    """Data as a YAML document, one value a line; text is quoted where YAML 1.1 could read it as something else."""
    return "".join(f"{line}\n" for line in _lines(data))


def _lines(data: Any) -> Iterator[str]:
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            deep = isinstance(value, (Mapping, list)) and value
            yield f"{_scalar(key)}:" if deep else f"{_scalar(key)}: {_scalar(value)}"
            if deep:
                yield from (f"  {line}" for line in _lines(value))
    elif isinstance(data, list) and data:
        for value in data:
            first, *rest = _lines(value)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _scalar(data)


def _scalar(value: Any) -> str:
    """A scalar, or an empty mapping or list."""
    if not isinstance(value, str):
        return json.dumps(value)
    return value if _PLAIN.fullmatch(value) else f'"{yaml_text(value)}"'


def require_printed(switch: SwitchView, texts: Iterable[str]) -> None:
    """Raise InputError (FG052) for a snippet whose place a switch's files lack: a BGP session's, without BGP."""
    if not any(snippet.lines for snippet in switch.snippets):
        return
    printed = {line.strip() for text in texts for line in text.splitlines()}
    for snippet in switch.snippets:
        if any(line.strip() not in printed for line in snippet.lines):
            raise fault(
                "FG052",
                f"the configuration of {switch.name} has no place '{snippet.place}', so that snippet "
                f"'{snippet.name}' would be lost",
                path=snippet.path,
                hint="give it another place with `at`, or to tiers or switches that have the place",
            )
