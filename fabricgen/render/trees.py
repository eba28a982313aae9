"""Merging of a user's data into rendered data (snippets with a `tree`), YAML output, and a check that no snippet is
lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from fabricgen.kernel.diagnostics import fault
from fabricgen.render.escape import escape_yaml
from fabricgen.views.switch import PlacedSnippet, SwitchView


def read_data(file: str, text: str) -> Any:
    """Return the data in the text of a JSON or YAML file that templates rendered.

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


def merge_tree(
    base: Mapping[str, Any], tree: Mapping[str, Any], snippet: PlacedSnippet, parent: str = ""
) -> dict[str, Any]:
    """Return `base` with a snippet's tree, or a part of it, merged in: mappings key by key, other values replaced.

    `parent` is the path of `base` in the file, such as `a/b`, for messages. Raises InputError (FG052) if one has a
    mapping and the other a value, so that the snippet mistakes the place.
    """
    result = dict(base)
    for key, value in tree.items():
        path = f"{parent}/{key}" if parent else str(key)
        name = _find_key(result, key)
        if name not in result:
            result[name] = value
        elif isinstance(result[name], Mapping) != isinstance(value, Mapping):
            new_kind = "a tree" if isinstance(value, Mapping) else "a value"
            message = f"the snippet '{snippet.name}' puts {new_kind} at {path}, where the configuration has the other"
            raise fault("FG052", message, path=(*snippet.path, "tree"))
        else:
            result[name] = merge_tree(result[name], value, snippet, path) if isinstance(value, Mapping) else value
    return result


def _find_key(base: Mapping[str, Any], key: Any) -> Any:
    """Return the key in `base` that is spelled like `key`, else `key`: a blueprint's 3 is the configuration's "3"."""
    return next((name for name in base if str(name) == str(key)), key)


def find_first_fault(
    snippets: tuple[PlacedSnippet, ...], fails: Callable[[tuple[PlacedSnippet, ...]], bool]
) -> PlacedSnippet:
    """Return the snippet with which some snippets begin to fail, if they are added one by one in their order.

    `fails` says whether some snippets fail together; all of `snippets` do.
    """
    for count in range(1, len(snippets)):
        if fails(snippets[:count]):
            return snippets[count - 1]
    return snippets[-1]


_PLAIN = re.compile(r"(?!(?:y|yes|n|no|on|off|true|false|null)$)[a-z][a-z0-9_./-]*", re.IGNORECASE)
"""Text that YAML 1.1 and 1.2 both read as a string without quotes."""


def write_yaml(data: Any) -> str:
    """Return data as a YAML document, one value a line; text is quoted if YAML 1.1 could read it as something else."""
    return "".join(f"{line}\n" for line in _write_lines(data))


def _write_lines(data: Any) -> Iterator[str]:
    """Yield lines of YAML, with maps and lists in block style."""
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            deep = isinstance(value, (Mapping, list)) and value
            yield f"{_write_scalar(key)}:" if deep else f"{_write_scalar(key)}: {_write_scalar(value)}"
            if deep:
                yield from (f"  {line}" for line in _write_lines(value))
    elif isinstance(data, list) and data:
        for value in data:
            first, *rest = _write_lines(value)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _write_scalar(data)


def _write_scalar(value: Any) -> str:
    """Return a scalar, or an empty mapping or list, as YAML."""
    if not isinstance(value, str):
        return json.dumps(value)
    return value if _PLAIN.fullmatch(value) else f'"{escape_yaml(value)}"'


def require_printed(view: SwitchView, texts: Iterable[str]) -> None:
    """Raise InputError (FG052) for a snippet that is not in the files, as these do not have its place.

    For example, the place may be a BGP session on a switch without BGP.
    """
    if not any(snippet.lines for snippet in view.snippets):
        return
    printed = {line.strip() for text in texts for line in text.splitlines()}
    for snippet in view.snippets:
        if any(line.strip() not in printed for line in snippet.lines):
            raise fault(
                "FG052",
                f"the configuration of {view.name} has no place '{snippet.place}', so that snippet "
                f"'{snippet.name}' would be lost",
                path=snippet.path,
                hint="give it another place with `at`, or to tiers or switches that have the place",
            )
