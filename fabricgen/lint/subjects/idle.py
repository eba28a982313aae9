"""What a blueprint states that nothing in its design takes: cages, limits, words of a phase about what it has not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sized
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from fabricgen.blueprint.sections.configuration import Snippet
from fabricgen.blueprint.sections.phases import ALL
from fabricgen.blueprint.sections.routing import LoadBalance, Routing
from fabricgen.design.capacity.bisection import count_accelerators
from fabricgen.design.capacity.end_to_end import count_attached_nodes, has_purpose
from fabricgen.design.fabric_model import FabricDesign, TierDesign, Uplink
from fabricgen.design.model import Design
from fabricgen.design.phase_selection import select_present
from fabricgen.design.sizing.kept_front import name_links_holder
from fabricgen.design.sizing.spread import is_nested, make_run_ports
from fabricgen.kernel.diagnostics import Path
from fabricgen.lint.subjects.lossless import list_lossless_fabrics

Idle = tuple[Path, str, str]
"""The path of a setting that changes nothing, why, and what to do."""


def find_idle_limits(design: Design) -> Iterator[Idle]:
    """Limits of the blueprint (the project's serve others too) that nothing here is held against."""
    fabrics, limits = design.fabrics, design.loaded.blueprint.lint.limits
    joining = [fabric for fabric in fabrics if count_accelerators(design, fabric)]
    of_accelerators = any(leg.gpu is not None for f in joining for _, has in f.attachments for leg in has.legs)
    inband = any(count_attached_nodes(design, fabric) and has_purpose(fabric, "inband") for fabric in fabrics)
    lossless = any(True for _ in list_lossless_fabrics(design)), "no fabric has a lossless class"
    applicable: dict[Path, tuple[bool, str]] = {
        ("bisection_gbps_per_accelerator",): (of_accelerators, "no NICs belong to accelerators"),
        ("storage_gbps_per_accelerator",): (
            any(has_purpose(f, "storage") for f in joining),
            "no GPUs have storage ports",
        ),
        ("inband_gbps_per_node",): (inband, "nodes attach to no in-band fabric"),
        ("watchdog_detect_ms",): lossless,
        ("ecn_queue_ms",): lossless,
        ("after_loss", "plane"): (any(fabric.planes > 1 for fabric in fabrics), "no fabric has several planes"),
        ("after_loss", "feed"): (bool(design.loaded.blueprint.floor.feeds), "`floor` names no `feeds`"),
    }
    for path, (is_held, why) in applicable.items():
        group = limits.after_loss if len(path) > 1 else limits
        stated = group.model_fields_set  # one share for every kind of loss states all, and means those that there are
        if path[-1] in stated and stated != {*type(limits.after_loss).model_fields} and not is_held:
            yield ("lint", "limits", *path), f"the limit `{path[-1]}` judges nothing: {why}", "remove it, or state that"


def find_idle_words_of_phases(design: Design) -> Iterator[Idle]:
    """What phases state of fabrics, pods and extra devices that are not there at the phase."""
    sites = {pod.name: pod.site for pod in design.layout.pods}
    for name, phase in design.loaded.blueprint.phases.items():
        selection = select_present(design, phase)
        pods = {pod for pod in phase.pods or sites if phase.sites is None or sites[pod] in phase.sites}
        words: list[tuple[Path, str, bool]] = [
            *((("planes", f), f, f in selection.fabrics) for f in phase.planes or () if f != ALL),
            *((("rails", f), f, f in selection.fabrics) for f in phase.rails or () if f != ALL),
            *((("switches", tier), tier, tier.partition(".")[0] in selection.fabrics) for tier in phase.switches),
            *((("extra", i), extra, extra in selection.extra) for i, extra in enumerate(phase.extra or ())),
            *((("units", pod), f"pod {pod}", pod in pods) for pod in phase.units),
            *((("pods", i), f"pod {pod}", pod in pods) for i, pod in enumerate(phase.pods or ())),
        ]
        for path, subject, is_there in words:
            if not is_there:
                why = f"phase '{name}' has no {subject}, so that `{path[0]}` says nothing of it"
                yield ("phases", name, *path), why, "add what it is part of to the phase, or remove it"


def find_idle_cages(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Cages that are kept for a fabric, a tier, management ports or devices none of which attaches to the tier."""
    blueprint, stated = design.loaded.blueprint, list[tuple[Path, str, Mapping[str, Sized]]]()
    for name, tier in blueprint.fabrics[fabric.name].tiers.items():
        stated.append(((*fabric.path, "tiers", name), name, tier.cages))
        for pod, key in ((pod, f"{fabric.name}.{name}") for pod in blueprint.pods):
            override = blueprint.pods[pod].tiers.get(key)
            stated.append((("pods", pod, "tiers", key), name, override.cages or {} if override else {}))
    for path, name, cages in stated:
        runs = {run.purpose for part in fabric.tiers if part.name == name for run in part.downs}
        for role in sorted(cages):
            # a role with a dot names a purpose; plain `down` is for ports without one
            if role not in runs and ("." in role or (role == "down" and runs and "" not in runs)):
                amount = "cage" if len(cages[role]) == 1 else f"{len(cages[role])} cages"
                why = f"nothing takes the {amount} of {fabric.name} {name} that `{role}` keeps"
                yield (*path, "cages", role), why, "attach it to this tier, or remove it"


def find_idle_parallel(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """`parallel` of a tier to which no links lie otherwise than without it, or some that a lock keeps apart."""
    specs = design.loaded.blueprint.fabrics[fabric.name].tiers
    for name in (name for name, spec in specs.items() if spec.parallel):
        path, tiers = (*fabric.path, "tiers", name, "parallel"), [tier for tier in fabric.tiers if tier.name == name]
        below = [(lower, uplink, tier) for tier in tiers for lower, uplink in design.list_links_below(tier.key)]
        lowers = " or ".join(sorted({lower.name for lower, _, _ in below}))
        if not any(_lies_beside(*met) for met in below):
            single = all(uplink.count_links_to(0) == 1 for _, uplink, _ in below)
            why = f"a {lowers} has one link to a {name}" if single else f"{lowers} links lie side by side without it"
            why = why if below else f"no tier is below {fabric.name} {name}"
            yield path, f"`parallel` has no effect: {why}", "remove it"
        for holder in (name_links_holder(lower.key) for lower, _, tier in below if _is_kept_apart(lower, tier)):
            why = f"the lock keeps {holder} apart, which `parallel` would have side by side"
            yield path, why, f"`fabricgen lock --release '{holder}'`; `plan --release '{holder}'` says what that moves"


def _lies_beside(lower: TierDesign, uplink: Uplink, upper: TierDesign) -> bool:
    """Whether the parallel links of a tier to another lie apart without `parallel`: those that fill a connector at both
    ends do not.
    """
    feed, lower_per_connector = upper.find_feed(lower.key), lower.up.per_connector if lower.up else 1
    links, upper_per_connector = uplink.count_links_to(0), upper.downs[feed.run].per_connector
    if links == 1 or uplink.uneven or feed.beside_nodes:
        return False
    fills = links == upper_per_connector and (links == lower_per_connector or uplink.upper_count == 1)
    return not fills and is_nested(uplink.links_per_group, uplink.upper_count, lower_per_connector, upper_per_connector)


def _is_kept_apart(lower: TierDesign, upper: TierDesign) -> bool:
    """Whether the ports that a lock has for links of a lower tier are on connectors that are not side by side."""
    feed = upper.find_feed(lower.key)
    per, ports = (
        upper.downs[feed.run].per_connector,
        make_run_ports(upper, feed.run).list_ports_of(feed) if feed.laid else (),
    )
    connector_sets = (
        {port // per for port in ports[start : start + feed.links]} for start in range(0, len(ports), feed.links)
    )
    # connectors side by side span as many numbers as they are
    return any(max(connectors) - min(connectors) >= len(connectors) for connectors in connector_sets)


def find_idle_aging(design: Design) -> Iterator[Idle]:
    """How long flows are remembered, where no switch deals them in turn."""
    blueprint = design.loaded.blueprint
    scopes: list[tuple[Path, Routing]] = [((), blueprint.routing)]
    scopes += [(("fabrics", name), fabric.routing) for name, fabric in blueprint.fabrics.items()]
    for scope, routing in scopes:
        load_balance = routing.load_balance
        if (
            isinstance(load_balance, LoadBalance)
            and "flow_aging_s" in load_balance.model_fields_set
            and load_balance.mode != "cluster"
        ):
            why = f"`flow_aging_s` has no effect: flows are dealt by `mode: {load_balance.mode}`, which forgets none"
            yield (*scope, "routing", "load_balance", "flow_aging_s"), why, "state `mode: cluster`, or remove it"


def find_idle_storeys(design: Design) -> Iterator[Idle]:
    """What is stated of ways from storey to storey, where no two halls lie on different ones."""
    floor = design.loaded.blueprint.floor
    if len({hall.storey for hall in floor.halls.values()}) > 1:
        return
    stated: list[tuple[Path, bool]] = [(("storey_m",), "storey_m" in floor.model_fields_set)]
    stated.append((("trays", "risers"), bool(floor.trays.risers)))
    for path, is_stated in stated:
        if is_stated:
            why = f"`{path[-1]}` has no effect: no two halls lie on different storeys"
            yield ("floor", *path), why, "state the `storey` of `halls`, or remove it"


def find_idle_communities(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Communities of an exit that announces nothing which could carry them."""
    for name, spec in design.loaded.blueprint.fabrics[fabric.name].exits.items():
        if spec.communities and not spec.announce:
            why = f"{name} announces nothing, so that `communities` are set on nothing"
            yield (*fabric.path, "exits", name, "communities"), why, "state `announce`, or remove it"


# Commands in snippets, read as the CLI of a switch reads them: words may be abbreviated, and stand in a mode.
# A pattern is a row of words, each matched against a word of the line; what follows in the line may be anything:
# - `shut~down`: `shut`, `shutd`, ... `shutdown`; a word without `~` must be whole - `no|default`: either; `!5|7`: any
# word but these - `Loopback0*`: as in file names; `*` any word, `**` any words or none - `et~hernet#`: the name of an
# interface, abbreviated or not, with its number in the word, the next word, or missing - `<9000`: a number below; `$`
# the end of the line - `int~erface et~hernet# > shut~down`: the second row, in the mode that the first opens
# Trees are read the same way: the words are the keys and then the value.

_MODES = ("int~erface", "rou~ter", "ma~nagement", "add~ress-family", "vlan", "acl", "control~-plane")
"""First words that open a mode in EOS and FRR, with which a line need not be indented to stand in it."""
_LEAVE = frozenset({"exit", "end", "!"})


class Command(NamedTuple):
    """A line with the lines in whose mode it stands, outermost first; for a tree its keys and value, in no mode."""

    text: str
    words: tuple[str, ...]
    modes: tuple[tuple[str, ...], ...] = ()

    def matches(self, pattern: str) -> bool:
        """Whether a pattern (see the module) matches."""
        *modes, last = (part.split() for part in pattern.split(" > "))
        if not _matches_row(self.words, last):
            return False
        return all(any(_matches_row(mode, row) for mode in self.modes) for row in modes)


def list_commands(snippet: Snippet) -> Iterator[Command]:
    """The lines of a snippet, or the values of its tree."""
    if snippet.tree is None:
        return _parse_lines((snippet.text or "").splitlines(), snippet.at or "")
    return _walk_tree(snippet.tree, ())


def _parse_lines(lines: Iterable[str], position: str) -> Iterator[Command]:
    # the lines of a snippet as commands, each with the modes that it stands in; `position` is where the snippet goes
    # snippets at `bgp` begin inside that mode, which their lines do not open
    first: list[tuple[int, tuple[str, ...]]] = [(-1, ("router", "bgp"))] if position == "bgp" else []
    modes = list(first)
    for line in lines:
        words, indent = tuple(line.split()), len(line) - len(line.lstrip())
        if not words or words[0].startswith(("!", "#")) or words[0] in _LEAVE:
            modes = list(first) if words else modes
            continue
        opens = any(_fits_pattern(words[0], mode) for mode in _MODES)
        # a line as deep as a mode leaves it only if it opens another: users write modes without indenting what is in
        # them
        modes = [(depth, mode) for depth, mode in modes if depth < indent or (depth == indent and not opens)]
        yield Command(line.strip(), words, tuple(mode for _, mode in modes))
        if opens:
            modes.append((indent, words))


def _walk_tree(tree: Any, keys: tuple[str, ...]) -> Iterator[Command]:
    # every value of a tree as a command: its keys and itself, as one text and as words
    if isinstance(tree, Mapping) and tree:
        for key, value in tree.items():
            yield from _walk_tree(value, (*keys, str(key)))
    elif isinstance(tree, list):
        for value in tree:
            yield from _walk_tree(value, keys)
    else:
        value = "null" if tree is None else "{}" if tree == {} else str(tree)
        value = value.lower() if isinstance(tree, bool) else value
        yield Command("/".join(keys), (*keys, value))


def _matches_row(words: tuple[str, ...], pattern: list[str]) -> bool:
    """Whether words begin with what a pattern says."""
    if not pattern:
        return True
    # the end of the row
    if pattern[0] == "$":
        return not words
    # any words between, perhaps none
    if pattern[0] == "**":
        return any(_matches_row(words[skipped:], pattern[1:]) for skipped in range(len(words)))
    return bool(words) and _fits_pattern(words[0], pattern[0]) and _matches_row(words[1:], pattern[1:])


def _fits_pattern(word: str, pattern: str) -> bool:
    # whether a word fits a pattern: `*`, `!NOT`, `<NUMBER`, or alternatives apart by `|`
    if pattern == "*":
        return True
    if pattern.startswith("!"):
        return not any(_fits_pattern(word, alternative) for alternative in pattern[1:].split("|"))
    if pattern.startswith("<"):
        # the first digits are enough to tell: `<4096` has no longer numbers, and `int` refuses very long ones
        return word.isdecimal() and int(word[:9]) < int(pattern[1:])
    return any(_fits_alternative(word, alternative) for alternative in pattern.split("|"))


def _fits_alternative(word: str, pattern: str) -> bool:
    # whether a word fits one alternative: `NAME#` is a name without its number, `ab~cd` a word abbreviated to `ab` or
    # more
    if pattern.endswith("#"):
        word, pattern = re.split(r"\d", word, maxsplit=1)[0].lower(), pattern[:-1]
    shortest, tilde, rest = pattern.partition("~")
    if tilde:
        return word.startswith(shortest) and (shortest + rest).startswith(word)
    return fnmatchcase(word, pattern) if "*" in pattern else word == pattern
