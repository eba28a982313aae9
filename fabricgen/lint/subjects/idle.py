"""Find settings of a blueprint that have no effect on its design, and read the commands in configuration snippets."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sized
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from fabricgen.blueprint.sections.configuration import Snippet
from fabricgen.blueprint.sections.phases import ALL
from fabricgen.blueprint.sections.routing import LoadBalance
from fabricgen.design.capacity.bisection import count_accelerators
from fabricgen.design.capacity.end_to_end import count_attached_nodes, has_gpu_ports, has_purpose
from fabricgen.design.fabric_model import FabricDesign, TierDesign, Uplink
from fabricgen.design.model import Design
from fabricgen.design.phase_selection import select_present
from fabricgen.design.sizing.kept_front import name_links_holder
from fabricgen.design.sizing.spread import is_nested, make_run_ports
from fabricgen.kernel.diagnostics import Path
from fabricgen.lint.subjects.lossless import list_lossless_fabrics
from fabricgen.lint.subjects.managed import list_scopes

Idle = tuple[Path, str, str]
"""(path of a setting that has no effect, why it has none, what to do about it)."""


def find_idle_limits(design: Design) -> Iterator[Idle]:
    """Yield the limits that the blueprint states and that nothing in the design is held against.

    Limits of the project are left out, since they serve other blueprints too.
    """
    fabrics, limits = design.fabrics, design.loaded.blueprint.lint.limits
    with_accelerators = [fabric for fabric in fabrics if count_accelerators(design, fabric)]
    has_storage = any(has_purpose(fabric, "storage") for fabric in with_accelerators)
    has_inband = any(count_attached_nodes(design, fabric) and has_purpose(fabric, "inband") for fabric in fabrics)
    # (whether a limit can judge anything, why not)
    lossless = any(True for _ in list_lossless_fabrics(design)), "no fabric has a lossless class"
    applicable: dict[Path, tuple[bool, str]] = {
        ("bisection_gbps_per_accelerator",): (
            any(map(has_gpu_ports, with_accelerators)),
            "no NICs belong to accelerators",
        ),
        ("storage_gbps_per_accelerator",): (has_storage, "no GPUs have storage ports"),
        ("inband_gbps_per_node",): (has_inband, "nodes attach to no in-band fabric"),
        ("watchdog_detect_ms",): lossless,
        ("ecn_queue_ms",): lossless,
        ("after_loss", "plane"): (any(fabric.planes > 1 for fabric in fabrics), "no fabric has several planes"),
        ("after_loss", "feed"): (bool(design.loaded.blueprint.floor.feeds), "`floor` names no `feeds`"),
    }
    for path, (applies, why) in applicable.items():
        stated = (limits.after_loss if len(path) > 1 else limits).model_fields_set
        # `after_loss: SHARE` states every kind of loss at once, and means the kinds that the design has
        if path[-1] in stated and stated != {*type(limits.after_loss).model_fields} and not applies:
            yield ("lint", "limits", *path), f"the limit `{path[-1]}` judges nothing: {why}", "remove it, or state that"


def find_idle_words_of_phases(design: Design) -> Iterator[Idle]:
    """Yield what phases state about fabrics, pods and extra devices that they do not have."""
    sites = {pod.name: pod.site for pod in design.layout.pods}
    for name, phase in design.loaded.blueprint.phases.items():
        selection = select_present(design, phase)
        pods = {pod for pod in phase.pods or sites if phase.sites is None or sites[pod] in phase.sites}
        # (path in the phase, what it names, whether the phase has it)
        words: list[tuple[Path, str, bool]] = [
            *((("planes", f), f, f in selection.fabrics) for f in phase.planes or () if f != ALL),
            *((("rails", f), f, f in selection.fabrics) for f in phase.rails or () if f != ALL),
            *((("switches", tier), tier, tier.partition(".")[0] in selection.fabrics) for tier in phase.switches),
            *((("extra", i), extra, extra in selection.extra) for i, extra in enumerate(phase.extra or ())),
            *((("units", pod), f"pod {pod}", pod in pods) for pod in phase.units),
            *((("pods", i), f"pod {pod}", pod in pods) for i, pod in enumerate(phase.pods or ())),
        ]
        for path, subject, is_present in words:
            if not is_present:
                why = f"phase '{name}' has no {subject}, so that `{path[0]}` says nothing of it"
                yield ("phases", name, *path), why, "add what it is part of to the phase, or remove it"


def find_idle_cages(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield cages of a fabric's tiers that are kept for a fabric, a tier, management ports or devices which do not
    attach to the tier.
    """
    blueprint, stated = design.loaded.blueprint, list[tuple[Path, str, Mapping[str, Sized]]]()
    for name, tier in blueprint.fabrics[fabric.name].tiers.items():
        stated.append(((*fabric.path, "tiers", name), name, tier.cages))
        key = f"{fabric.name}.{name}"
        overrides = ((pod, spec.tiers[key]) for pod, spec in blueprint.pods.items() if key in spec.tiers)
        stated += [(("pods", pod, "tiers", key), name, override.cages or {}) for pod, override in overrides]
    for path, name, cages in stated:
        purposes = {run.purpose for tier in fabric.tiers if tier.name == name for run in tier.downs}
        for role in sorted(cages):
            # a role with a dot names a purpose; plain `down` is for ports without a purpose
            if role not in purposes and ("." in role or (role == "down" and purposes and "" not in purposes)):
                amount = "cage" if len(cages[role]) == 1 else f"{len(cages[role])} cages"
                why = f"nothing takes the {amount} of {fabric.name} {name} that `{role}` keeps"
                yield (*path, "cages", role), why, "attach it to this tier, or remove it"


def find_idle_parallel(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield `parallel` of a fabric's tiers if all links to the tier would lie side by side without it, or if the lock
    keeps some of them apart.
    """
    specs = design.loaded.blueprint.fabrics[fabric.name].tiers
    for name in (name for name, spec in specs.items() if spec.parallel):
        path, tiers = (*fabric.path, "tiers", name, "parallel"), [tier for tier in fabric.tiers if tier.name == name]
        links_below = [(lower, uplink, tier) for tier in tiers for lower, uplink in design.list_links_below(tier.key)]
        lower_names = " or ".join(sorted({lower.name for lower, _, _ in links_below}))
        if not any(_moves_links(*joined) for joined in links_below):
            why = f"{lower_names} links lie side by side without it"
            if not links_below:
                why = f"no tier is below {fabric.name} {name}"
            elif all(uplink.count_links_to(0) == 1 for _, uplink, _ in links_below):
                why = f"a {lower_names} has one link to a {name}"
            yield path, f"`parallel` has no effect: {why}", "remove it"
        for holder in (name_links_holder(lower.key) for lower, _, tier in links_below if _is_kept_apart(lower, tier)):
            why = f"the lock keeps {holder} apart, which `parallel` would have side by side"
            yield path, why, f"`fabricgen lock --release '{holder}'`; `plan --release '{holder}'` says what that moves"


def _moves_links(lower: TierDesign, uplink: Uplink, upper: TierDesign) -> bool:
    """Whether `parallel` changes the ports of the links from a lower switch to an upper switch: side by side, where
    they would be apart without it.

    Links that fill a connector at both ends lie side by side anyway.
    """
    feed, lower_per_connector = upper.find_feed(lower.key), lower.up.links_per_connector if lower.up else 1
    links, upper_per_connector = uplink.count_links_to(0), upper.downs[feed.run].links_per_connector
    if links == 1 or uplink.uneven or feed.beside_nodes:
        return False
    fills = links == upper_per_connector and (links == lower_per_connector or uplink.upper_count == 1)
    return not fills and is_nested(uplink.links_per_group, uplink.upper_count, lower_per_connector, upper_per_connector)


def _is_kept_apart(lower: TierDesign, upper: TierDesign) -> bool:
    """Whether the ports that the lock keeps for parallel links of a lower tier are on connectors that do not lie side
    by side.
    """
    feed = upper.find_feed(lower.key)
    per_connector = upper.downs[feed.run].links_per_connector
    ports = make_run_ports(upper, feed.run).list_ports_of(feed) if feed.laid else ()
    connector_sets = (
        {port // per_connector for port in ports[start : start + feed.links]}
        for start in range(0, len(ports), feed.links)
    )
    # connectors side by side have consecutive numbers
    return any(max(connectors) - min(connectors) >= len(connectors) for connectors in connector_sets)


def find_idle_aging(design: Design) -> Iterator[Idle]:
    """Yield `flow_aging_s` of routing whose load balancing remembers no flows."""
    for scope, stated in list_scopes(design):
        balance = stated.routing.load_balance
        if (
            isinstance(balance, LoadBalance)
            and "flow_aging_s" in balance.model_fields_set
            and balance.mode != "cluster"
        ):
            why = f"`flow_aging_s` has no effect: flows are dealt by `mode: {balance.mode}`, which forgets none"
            yield (*scope, "routing", "load_balance", "flow_aging_s"), why, "state `mode: cluster`, or remove it"


def find_idle_storeys(design: Design) -> Iterator[Idle]:
    """Yield the height of storeys and the risers if no two halls lie on different storeys."""
    floor = design.loaded.blueprint.floor
    if len({hall.storey for hall in floor.halls.values()}) > 1:
        return
    stated: list[Path] = [("storey_m",)] if "storey_m" in floor.model_fields_set else []
    for path in (*stated, *([("trays", "risers")] if floor.trays.risers else [])):
        why = f"`{path[-1]}` has no effect: no two halls lie on different storeys"
        yield ("floor", *path), why, "state the `storey` of `halls`, or remove it"


def find_idle_communities(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Yield the communities of exits that announce nothing, so that no route carries them."""
    for name, spec in design.loaded.blueprint.fabrics[fabric.name].exits.items():
        if spec.communities and not spec.announce:
            why = f"{name} announces nothing, so that `communities` are set on nothing"
            yield (*fabric.path, "exits", name, "communities"), why, "state `announce`, or remove it"


# Commands in snippets, read as the CLI of a switch reads them: words may be abbreviated, and a command belongs to a
# mode. A pattern is a row of words, each matched against a word of the line; the line may go on after the last of them:
# - `shut~down` matches `shut`, `shutd`, ... `shutdown`; a word without `~` must be whole
# - `no|default` matches either word, `!5|7` any word but these
# - `Loopback0*` matches as in file names, `*` any word, `**` any words or none
# - `et~hernet#` matches the name of an interface, abbreviated or not, with its number in the word, the next word, or
#   missing
# - `<9000` matches a lower number, `$` the end of the line
# - `int~erface et~hernet# > shut~down` matches what is right of `>` in a mode that what is left of it opens
# A tree is matched in the same way: the words are the keys to a value and then the value.

_MODES = ("int~erface", "rou~ter", "ma~nagement", "add~ress-family", "vlan", "acl", "control~-plane")
"""First words that open a mode in EOS and FRR; lines after them belong to the mode even if they are not indented."""
_LEAVE = ("exit", "end")
"""First words of lines that leave all modes, as comments do too."""


class Command(NamedTuple):
    """A line of a snippet as text and as words, or a value in its tree: its words are the keys to it and the value."""

    text: str
    words: tuple[str, ...]
    modes: tuple[tuple[str, ...], ...] = ()
    """The lines in whose modes the command is given, outermost first; a value in a tree has none."""

    def matches(self, pattern: str) -> bool:
        """Whether the command, in its modes, matches a pattern; comments of this module say how patterns are
        written.
        """
        *mode_rows, row = (words.split() for words in pattern.split(" > "))
        if not _matches_row(self.words, row):
            return False
        return all(any(_matches_row(mode, mode_row) for mode in self.modes) for mode_row in mode_rows)


def list_commands(snippet: Snippet) -> Iterator[Command]:
    """Yield the lines of a snippet that are commands, or the values of its tree."""
    if snippet.tree is None:
        return _parse_lines((snippet.text or "").splitlines(), snippet.at or "")
    return _walk_tree(snippet.tree, ())


def _parse_lines(lines: Iterable[str], position: str) -> Iterator[Command]:
    """Yield the lines of a snippet as commands, each with its modes; `position` is where the snippet is inserted.

    A snippet at `bgp` begins inside the mode of BGP, which its lines do not open.
    """
    outer_modes: list[tuple[int, tuple[str, ...]]] = [(-1, ("router", "bgp"))] if position == "bgp" else []
    modes = outer_modes
    for line in lines:
        words, indent = tuple(line.split()), len(line) - len(line.lstrip())
        if not words:
            continue
        if words[0] in _LEAVE or words[0].startswith(("!", "#")):
            modes = outer_modes
            continue
        opens_mode = any(_fits_pattern(words[0], mode) for mode in _MODES)
        # users do not always indent what is in a mode: a line as deep as a mode leaves it only if it opens another
        modes = [(depth, mode) for depth, mode in modes if depth < indent or (depth == indent and not opens_mode)]
        yield Command(line.strip(), words, tuple(mode for _, mode in modes))
        if opens_mode:
            modes.append((indent, words))


def _walk_tree(tree: Any, keys: tuple[str, ...]) -> Iterator[Command]:
    """Yield every value of a tree as a command; the values of a list have the keys of the list."""
    if isinstance(tree, Mapping) and tree:
        for key, value in tree.items():
            yield from _walk_tree(value, (*keys, str(key)))
    elif isinstance(tree, list):
        for value in tree:
            yield from _walk_tree(value, keys)
    else:
        value = "null" if tree is None else "{}" if tree == {} else str(tree)
        yield Command("/".join(keys), (*keys, value.lower() if isinstance(tree, bool) else value))


def _matches_row(words: tuple[str, ...], pattern: list[str]) -> bool:
    """Whether words begin with what a pattern says, word by word.

    In a pattern `**` stands for any number of words, behind which there is at least one more, and `$` for their end.
    """
    if not pattern:
        return True
    if pattern[0] == "$":
        return not words
    if pattern[0] == "**":
        return any(_matches_row(words[skipped:], pattern[1:]) for skipped in range(len(words)))
    return bool(words) and _fits_pattern(words[0], pattern[0]) and _matches_row(words[1:], pattern[1:])


def _fits_pattern(word: str, pattern: str) -> bool:
    """Whether a word fits one word of a pattern: `*`, `!NOT|NOR`, `<NUMBER`, or alternatives separated by `|`."""
    if pattern == "*":
        return True
    if pattern.startswith("!"):
        return not _fits_pattern(word, pattern[1:])
    if pattern.startswith("<"):
        # the first digits are enough to tell: `<4096` has no longer numbers, and `int` refuses very long ones
        return word.isdecimal() and int(word[:9]) < int(pattern[1:])
    return any(_fits_alternative(word, alternative) for alternative in pattern.split("|"))


def _fits_alternative(word: str, pattern: str) -> bool:
    """Whether a word fits one alternative of a pattern, which may have `*` for any characters.

    `NAME#` fits NAME with any number behind it. `ab~cd` fits `abcd` and its abbreviations down to `ab`.
    """
    if pattern.endswith("#"):
        word, pattern = re.split(r"\d", word, maxsplit=1)[0].lower(), pattern[:-1]
    shortest, tilde, ending = pattern.partition("~")
    if tilde:
        return word.startswith(shortest) and (shortest + ending).startswith(word)
    return fnmatchcase(word, pattern) if "*" in pattern else word == pattern
