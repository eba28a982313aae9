"""NVUE in one spelling: what a switch tells in any form, as statements in the words of Cumulus Linux 5.15.

Forms: `nv config show` as YAML, JSON or commands (`-o commands`), and startup.yaml. How NVUE spells is data,
spellings.yaml.

Ranges are in its keys: `nv config show` writes settings that ports or VLANs share once, at `swp1-4,7` or `10-20`.
"""

from __future__ import annotations

import ipaddress
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import Any

from pydantic import Field
from ruamel.yaml import YAML

from fabricgen.models.forms import FrozenModel
from fabricgen.running.statements import Path, Statements
from fabricgen.running.tree import UnknownTextError

MOST = 4096
"""The most ports or VLANs that a range can mean."""

_RUN = re.compile(r"([A-Za-z_.]*)(?:(\d+)([s.]))?(\d+)(?:-(\d+))?")
"""swp1, swp1s0-3, swp1.10-12, or digits, which take the letters of the name before them."""
_NAME = re.compile(r"[A-Za-z][\w.]*")


def expand_range(key: str) -> Iterator[str]:
    """Yield the names that a key stands for: `swp1-2,5` is swp1, swp2 and swp5, `swp1s0-1` is swp1s0 and swp1s1.

    Any other key is yielded as it is.
    """
    members = key.split(",")
    if not re.search("[-,]", key) or not all(_RUN.fullmatch(member) or _NAME.fullmatch(member) for member in members):
        yield key
        return
    letters = ""
    for member in members:
        numbered = _RUN.fullmatch(member)
        if numbered is None:
            yield member
            continue
        # a later member of a list may leave out the letters, which are then those of the one before it
        letters = numbered[1] or letters
        cage = f"{numbered[2]}{numbered[3]}" if numbered[3] else ""
        yield from (f"{letters}{cage}{n}" for n in range(int(numbered[4]), int(numbered[5] or numbered[4]) + 1)[:MOST])


MOST_SETTINGS, MOST_DEEP = 500_000, 40
"""More settings than a switch has, and deeper: YAML may repeat itself without end."""

_STATES = {"on": "enabled", "off": "disabled", "true": "enabled", "false": "disabled"}
"""5.15 says `state: enabled` where releases before it said `enable: on`."""
_NOTHING = ("", "null", "~")
_MAC = re.compile(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}")
_V6 = re.compile(r"(?=.*:.*:)[0-9A-Fa-f:.]+(/\d{1,3})?")
_DOTTED = re.compile(r"(\d{1,5})\.(\d{1,5})")
_NUMBER = re.compile(r"0|[1-9]\d{0,18}")


class MovedSetting(FrozenModel):
    """A setting that 5.15 has at another path: before it was at `from_`, now it is at `to`.

    `{word}` in a path stands for any one step. `value` is the value that it has now, None for the same as before;
    `also` are further settings that 5.15 needs beside it, by path.
    """

    from_: str
    to: str
    value: str | None = None
    also: Mapping[str, str] = Field(default_factory=dict)


class Spellings(FrozenModel):
    """The file spellings.yaml, which explains its parts; `*` is any step of a path."""

    names: frozenset[str]
    containers: frozenset[str]
    flags: tuple[str, ...]
    values: tuple[str, ...]
    choices: tuple[str, ...]
    ranged: frozenset[str]
    lists: frozenset[str]
    texts: frozenset[str]
    asns: frozenset[str]
    own_words: frozenset[str]
    secret_keys: frozenset[str]
    secrets: frozenset[str]
    moved: tuple[MovedSetting, ...]


@cache
def load_spellings() -> Spellings:
    """Load how NVUE spells, from spellings.yaml."""
    content = YAML(typ="safe").load(FilePath(__file__).with_name("spellings.yaml").read_bytes())
    content["moved"] = [
        {("from_" if key == "from" else key): value for key, value in row.items()} for row in content["moved"]
    ]
    return Spellings.model_validate(content)


def read_settings(text: str) -> Statements:
    """Return all settings of a switch in one spelling: the value at each path of keys, "" for a key that has none.

    Of a setting that a list of trees states twice, the last holds. Keys of peer groups stay with the groups. Raises
    UnknownTextError for text without settings, or with more than a switch has, and YAMLError or ValueError for text
    that is no YAML or JSON.
    """
    leaves = [leaf for name, tree in _list_trees(text) for leaf in _list_leaves(tree, () if name == "set" else (name,))]
    families: dict[str, set[str]] = {}
    for path, _ in leaves:
        # releases before 5.15 had one place for what the shared addresses of both families have in common
        if path[2:5] == ("ip", "vrr", "address") and len(path) == 6:
            families.setdefault(path[1], set()).add(_find_family(path[5]))
    return {path: value for leaf in leaves for path, value in _move_setting(*leaf, families)}


def make_tree(settings: Statements) -> dict[str, Any]:
    """Return the tree of NVUE with some settings; numbers are numbers.

    Raises UnknownTextError for a path that has a value and settings below it.
    """
    tree: dict[str, Any] = {}
    for path, value in settings.items():
        node = tree
        for depth, step in enumerate(path[:-1], 1):
            node = node.setdefault(step, {})
            # a secret has no step for its key: what is below it belongs to the only key
            if step in load_spellings().secret_keys and node:
                (node,) = node.values()
            if not isinstance(node, dict):
                raise UnknownTextError(f"{' '.join(path[:depth])} has a value, and settings below it")
        node.setdefault(path[-1], {})
        if value:
            node[path[-1]] = _convert_value(path, value)
    return tree


def _convert_value(path: Path, value: str) -> Any:
    """Return a value as YAML has it: a list, a key with nothing below, a number, or text."""
    spellings = load_spellings()
    if path[-1] in spellings.secret_keys or _is_at(path, "choices"):
        return {value: {}}
    if path[-1] in spellings.lists:
        return value.split(",")
    plain = path[-1] in spellings.texts | spellings.secrets
    return int(value) if not plain and _NUMBER.fullmatch(value) else value


def _list_trees(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (word, tree) for each tree of a text: the word is the key above the tree, such as `set`.

    What is under `header` is left out.
    """
    if re.search(r"^nv (?:set|unset) ", text, re.M):
        yield from _parse_commands(text)
        return
    if text.lstrip()[:1] in ("{", "["):
        documents = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    else:
        documents = YAML(typ="base").load(text)  # nothing but text: 65000.10 is an AS number, and no fraction
    for document in documents if isinstance(documents, list) else [documents]:
        if not isinstance(document, Mapping):
            raise UnknownTextError("settings are a list of trees, such as `- set:`")
        for name, tree in document.items():
            if name != "header":
                yield str(name), tree if isinstance(tree, Mapping) else {} if _is_nothing(tree) else {tree: {}}


def _parse_commands(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the trees of `nv set` and `nv unset` commands."""
    for command in re.split(r"^nv +", text, flags=re.M)[1:]:
        verb, *words = shlex.split(command, comments=True)
        if verb in ("set", "unset") and words:
            yield verb, _make_command_tree(words)


def _make_command_tree(words: list[str]) -> dict[str, Any]:
    """Return the tree of one command as nested dicts with a word as each key; the last word is a value, or the name of
    a thing.
    """
    spellings, path, last_word = load_spellings(), tuple(words[:-1]), words[-1]
    is_value = bool(path) and (
        _is_at(path, "values")
        or not (
            # below a map of names, and below a name in it, a lone word is there and has no value
            spellings.names.intersection(path[-2:])
            or (path[-1] in spellings.containers and last_word in spellings.names | spellings.containers)
        )
    )
    # a name is a key with nothing below it yet; a value ends the tree
    tree: Any = last_word if is_value else {last_word: {}}
    for step in reversed(path):
        tree = {step: tree}
    return dict(tree)


def _list_leaves(tree: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    """Yield every setting of a tree; raises UnknownTextError for more of them, or deeper ones, than a switch has."""
    pending: list[tuple[Path, Any]] = [(path, tree)]
    remaining = MOST_SETTINGS
    while pending:
        leaf_path, value = pending.pop()
        if (remaining := remaining - 1) < 0 or len(leaf_path) > MOST_DEEP:
            raise UnknownTextError(f"more than {MOST_SETTINGS:,} settings, or deeper than {MOST_DEEP}")
        if not isinstance(value, Mapping):
            if not _is_nothing(value):
                yield leaf_path, _normalize_word(leaf_path[-1], value)
            elif _says_itself(leaf_path):
                yield leaf_path, ""
        elif len(value) == 1 and _is_at(leaf_path, "choices") and _is_nothing(next(iter(value.values()))):
            yield leaf_path, str(next(iter(value)))
        else:
            if leaf_path and (
                _says_itself(leaf_path) if not value else len(leaf_path) > 1 and leaf_path[-2] in load_spellings().names
            ):
                yield leaf_path, ""
            # a stack gives back the last first: reversed, settings come in the order of the tree
            pending += reversed(list(_list_below(leaf_path, value)))


def _list_below(path: Path, tree: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Yield (path, value) of each child of a node; a range such as `swp1-4` is one child for each name in it.

    A map of secrets yields its own path with its keys as one sorted list, and then what is set below each key.
    """
    spellings = load_spellings()
    if path and path[-1] in spellings.secret_keys:
        yield path, ",".join(sorted(map(str, tree)))
        settings_of_secrets = (value for value in tree.values() if isinstance(value, Mapping))
        yield from (((*path, str(key)), value) for settings in settings_of_secrets for key, value in settings.items())
        return
    for key, value in tree.items():
        for name in expand_range(str(key)) if path and path[-1] in spellings.ranged else (str(key),):
            yield (*path, _normalize_word("", name)), value


def _says_itself(path: Path) -> bool:
    """Return whether a path that has nothing below it is a statement: by spellings.yaml, it is unless it is a mere
    container.

    For example, an empty `vlan/10` says that there is a VLAN 10; an empty `router` says nothing.
    """
    spellings = load_spellings()
    return (
        path[-1] not in spellings.names | spellings.containers
        or bool(spellings.names.intersection(path[-2:-1]))
        or _is_at(path, "flags")
    )


def _is_nothing(value: Any) -> bool:
    """Whether a value means that nothing is set."""
    return value is None or value in ({}, []) or (isinstance(value, str) and value in _NOTHING)


def _is_at(path: Path, kind: str) -> bool:
    """Return whether a path ends with a pattern of a kind (`choices`, `flags`, `values`) of spellings.yaml."""
    patterns = _list_patterns(kind)
    return any(
        len(path) >= len(steps)
        and all(step in ("*", word) for step, word in zip(steps, path[-len(steps) :], strict=True))
        for last_step in (*path[-1:], "*")  # patterns are kept by their last step, `*` for any
        for steps in patterns.get(last_step, ())
    )


@cache
def _list_patterns(kind: str) -> dict[str, list[tuple[str, ...]]]:
    """Return the patterns of a kind in spellings.yaml as steps, by their last step."""
    patterns: dict[str, list[tuple[str, ...]]] = {}
    for pattern in getattr(load_spellings(), kind):
        steps = tuple(pattern.split("/"))
        patterns.setdefault(steps[-1], []).append(steps)
    return patterns


def _normalize_word(key: str, value: Any) -> str:
    """Return a key (`key` is "") or the value of a key in NVUE's spelling: lists with commas, MACs and IPv6 as their
    RFCs have them.
    """
    if isinstance(value, list):
        # thirty aliases of lists of aliases are a billion words, and NVUE has lists of words alone
        if any(isinstance(element, list | dict) for element in value):
            raise UnknownTextError(f"a list in '{key}' holds lists or maps")
        return ",".join(_normalize_word(key, element) for element in value)
    text, spellings = str(value).lower() if isinstance(value, bool) else str(value), load_spellings()
    if key in spellings.own_words | spellings.secrets:
        return text
    if key in spellings.asns and (dotted := _DOTTED.fullmatch(text)):
        # the upper and the lower 16 bits of an AS number (RFC 5396, asdot)
        return str((int(dotted[1]) << 16) + int(dotted[2]))
    if _MAC.fullmatch(text):
        return text.lower()
    if _V6.fullmatch(text):
        try:
            return str(ipaddress.ip_interface(text) if "/" in text else ipaddress.ip_address(text))
        except ValueError:
            return text
    return _STATES.get(text, text) if key else text


def _find_family(word: str) -> str:
    return "ipv6" if ":" in word else "ipv4"


@cache
def _load_moves() -> dict[str, list[tuple[Path, MovedSetting]]]:
    """Return (steps of the old path, moved setting) of each moved setting, by the first of these steps."""
    moves: dict[str, list[tuple[Path, MovedSetting]]] = {}
    for move in load_spellings().moved:
        steps = tuple(move.from_.split("/"))
        moves.setdefault(steps[0], []).append((steps, move))
    return moves


def _move_setting(path: Path, value: str, families: Mapping[str, set[str]]) -> Iterator[tuple[Path, str]]:
    """Yield (path, value) of a setting where release 5.15 has it, and of the settings that have to be stated beside it.

    A setting of shared addresses is yielded once for each address family in `families[interface]`, IPv4 if there are
    none.
    """
    for steps, move in _load_moves().get(path[0], ()):
        step_values = _match_steps(steps, path)
        if step_values is None:
            continue
        path_below = _move_enable(path[len(steps) :], value)
        step_values["family"] = _find_family(path_below[0]) if path_below else "ipv4"
        for family in sorted(families.get(path[1], {"ipv4"})) if "{vrr}" in move.to else ("",):
            step_values["vrr"] = family
            yield (*_fill_pattern(move.to, step_values), *path_below), value if move.value is None else move.value
        for extra_path, extra_value in move.also.items():
            yield _fill_pattern(extra_path, step_values), extra_value.format(**step_values)
        return
    yield _move_enable(path, value), value


def _move_enable(path: Path, value: str) -> Path:
    """Return a path that ends in `enable` (`on` or `off`) with the last step `state`; any other path stays as it is."""
    return (*path[:-1], "state") if path[-1:] == ("enable",) and value in _STATES.values() else path


def _fill_pattern(pattern: str, words: Mapping[str, str]) -> Path:
    return tuple(step.format(**words) for step in pattern.split("/"))


def _match_steps(steps: Path, path: Path) -> dict[str, str] | None:
    """Return what the steps `{word}` stand for in a path that begins with these steps; None for another path."""
    if len(path) < len(steps) or any(step != word and step[0] != "{" for step, word in zip(steps, path, strict=False)):
        return None
    return {step[1:-1]: word for step, word in zip(steps, path, strict=False) if step[0] == "{"}
