"""An EOS configuration as statements in one normal spelling, and as text again.

`lines.yaml` has the lines that a build writes, as forms: which words name a line, and which are its value. They make
one spelling of what EOS shows in several: abbreviations, names of interfaces, ranges, AS numbers in dots, masks. A line
of no form is a statement in its own words, without a value: nothing is passed over but `!`, `exit`, `end`, and the
prompts of a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from pathlib import Path as FilePath
from typing import Any

from ruamel.yaml import YAML

from fabricgen.nos.eos.reading.words import KINDS, Words
from fabricgen.running.statements import Path, Statements, read_sections, write_sections
from fabricgen.running.tree import UnknownTextError

FILES = ("*.cfg",)  # named after the switch
GAP = "…"  # stands for a value amid the words of a line, and for a secret in a value
NEGATED = "no"  # the value of a line after `no`
LEAST_LETTERS = 2  # of a word that is abbreviated
MOST_LINES = 1 << 17  # are remembered, far more than a switch has: those of a tier are much the same
ORDER = "order of "  # begins the only step of the order in which lines stand
MOST_STATEMENTS = 1_000_000  # far more than a switch has, however many interfaces a line names at once
_SECRET = "secret of "  # noqa: S105 - the beginning of a step, and no secret
_ENDS = {"exit", "end", "exit-address-family", "exit-vrf"}
_BANNER = re.compile(r"^(banner \S+)\n", re.M)
_RULE = re.compile(r"^((?:ip|ipv6) prefix-list \S+) (seq .*)$", re.M)  # as EOS before 4.23 shows it
_PROMPT = re.compile(r"^[\w.-]+(?:\([\w-]+\))?[#>] *(?:sh\w* run.*|term\w* len.*|exit)?$", re.M)  # of a terminal's log
_OF_NEIGHBOR = re.compile(r"neighbor (\S+)( .+)")


def read_statements(files: Mapping[str, str]) -> Statements:
    """Return the statements of a switch's one file in the order of its lines, followed by statements of order.

    A statement of order says in which order lines stand that a switch tries in turn (`_list_orders`). `files` has one
    text by name. If several lines have one path, their values are joined by "; ". What a BGP neighbour repeats of its
    peer group is left out. Raises UnknownTextError for lines that name more interfaces and VLANs than a switch has.
    """
    (text,) = files.values()
    vocabulary = load_vocabulary()
    # EOF ends a banner, whose lines are no lines of EOS; before the banner there may be some
    *banner_texts, last_text = re.split("^EOF$", text, flags=re.M)
    banners = [
        _BANNER.split(banner_text, maxsplit=1) if _BANNER.search(banner_text) else (f"{banner_text}EOF", "", "")
        for banner_text in banner_texts
    ]
    statements: Statements = {(name,): lines.removesuffix("\n") for _, name, lines in banners if name}
    sections: dict[Path, list[tuple[Path, str]]] = {(): [((), "top")]}
    text = "\n".join([*(lines_before for lines_before, _, _ in banners), last_text])
    for written in read_sections(_PROMPT.sub("", _RULE.sub(r"\1\n \2", text)), ("!",)):
        sections_above = sections[written[:-1]]
        sections[written] = sections_above if written[-1] in _ENDS else []
        for section, kind in sections_above if written[-1] not in _ENDS else ():
            for line in vocabulary.lines(kind, written[-1]):
                path = (*section, line.name)
                values = {path: line.value, **{(*path, step): secret for step, secret in line.secrets}}
                statements.update(
                    {
                        value_path: new_value
                        if statements.get(value_path, new_value) == new_value
                        else f"{statements[value_path]}; {new_value}"
                        for value_path, new_value in values.items()
                    }
                )
                sections[written].append((path, line.section))
        if len(statements) > MOST_STATEMENTS:
            raise UnknownTextError(f"more than {MOST_STATEMENTS} statements")
    return _drop_repeated(statements) | dict(_list_orders(statements, vocabulary.ordered))


def _list_orders(statements: Statements, ordered: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """Yield (path, names of lines in their order, joined by commas) for each kind of line that a switch tries in turn.

    Kinds with one line are left out. `ordered` are the words that the lines of each kind begin with, on the top level.
    """
    for first_words in ordered:
        names = [
            path[0].removeprefix(first_words).strip()
            for path in statements
            if len(path) == 1 and path[0].startswith(first_words)
        ]
        if len(names) > 1:
            yield (ORDER + first_words,), ", ".join(names)


def _drop_repeated(statements: Statements) -> Statements:
    """Return statements without what a BGP neighbour repeats of its peer group (EOS user manual: neighbor peer group).

    A neighbour's group is that of its section, or of the one above for lines of an address family.
    """
    of_neighbors = {
        path: match for path in statements if path[0] == "router bgp" and (match := _OF_NEIGHBOR.fullmatch(path[-1]))
    }
    groups = {(p[:-1], match[1]): statements[p] for p, match in of_neighbors.items() if match[2] == " peer group"}
    repeated = set()
    for path, match in of_neighbors.items():
        # an address family is a section below that of the router or VRF, where the group is stated
        group = groups.get((path[:-1], match[1])) or groups.get((path[:-2], match[1]))
        if (
            group
            and GAP not in statements[path]
            and statements.get((*path[:-1], f"neighbor {group}{match[2]}")) == statements[path]
        ):
            repeated.add(path)
    return {path: value for path, value in statements.items() if path not in repeated}


def files_of(statements: Statements) -> dict[str, str]:
    """Return statements as the one file, by name, that says the same to EOS's reader."""
    secrets: dict[Path, list[str]] = {}
    for path, value in statements.items():
        if path[-1].startswith(_SECRET):
            secrets.setdefault(path[:-1], []).append(value)
    written = {path: _write_line(path[-1], value, secrets.get(path, [])) for path, value in statements.items()}
    # the steps of these paths are whole lines, values included
    lines = {
        tuple(written.get(path[: depth + 1], step) for depth, step in enumerate(path)): ""
        for path in statements
        if not path[-1].startswith((_SECRET, ORDER, "banner "))
    }
    banners = "".join(
        f"{path[0]}\n{value}\nEOF\n" for path, value in statements.items() if path[0].startswith("banner ")
    )
    return {"switch.cfg": banners + write_sections(lines)}


def _write_line(name: str, value: str, secrets: list[str]) -> str:
    """Return the line of a statement: the words of `value` go into the gaps of `name` in turn, the others behind it.

    `secrets` fill the gaps that are then left.
    """
    negated = value.split(" ", maxsplit=1)[0] == NEGATED
    words = value.split(" ")[1:] if negated else value.split(" ")
    while GAP in name and words:
        name = name.replace(GAP, words.pop(0), 1)
    line = " ".join([*([NEGATED] if negated else []), name, *words])
    for secret in secrets:
        # secrets are statements of their own, so that they can be masked; here they go back where the line has gaps
        line = line.replace(GAP, secret, 1)
    return line.rstrip()


@dataclass(frozen=True, slots=True)
class EosLine:
    """A line in its normal spelling: name, value and the section below it; `secrets` are (name of a step, secret)."""

    name: str
    value: str = ""
    section: str = ""
    secrets: tuple[tuple[str, str], ...] = ()


class _LineForm:
    """The form of a line that a build writes, from `lines.yaml`: the words of its name, and those of its value.

    A word of a form is literal, a choice such as `<a|b>`, or a kind of words such as `<SECRET>`; with `=` before it, it
    stands amid the name and belongs to the value.
    """

    def __init__(self, text: str, section: str) -> None:
        # `text` is NAME WORDS = VALUE WORDS as in lines.yaml; `no` is written before the name alone
        name, _, value = text.partition(" = ")
        self._section, self._names, self._values = section, name.split(), value.split()
        self.positive = _make_pattern([*self._names, *self._values])
        self.negated = _make_pattern(self._names)

    def count_abbreviated(self, match: re.Match[str]) -> int:
        """Return how many words of a matching line are abbreviated."""
        forms = zip([*self._names, *self._values], match.groups(), strict=False)
        return sum(form.strip("=<>") not in KINDS and text not in _list_choices(form) for form, text in forms)

    def lines(self, match: re.Match[str], *, negated: bool) -> tuple[EosLine, ...]:
        """Return what a matching line says: several lines if its name has a range.

        Raises ValueError or LookupError for a word that is not of the kind that the form asks for there.
        """
        names: list[Words] = []
        values: list[Words] = [(NEGATED,)] if negated else []
        secrets: list[tuple[str, str]] = []
        forms = self._names if negated else [*self._names, *self._values]
        for position, (form, text) in enumerate(zip(forms, match.groups(), strict=False)):
            words = _parse_words(form, text)
            # a word with `=` stands amid the names of a line and is a value: the name keeps a gap for it
            if position < len(self._names):
                names.append((GAP,) if form[0] == "=" else words)
            if form == "<SECRET>":
                secret_word = next(word for word in reversed(forms[:position]) if word[-1] != ">")
                secrets.append((f"secret of {secret_word}", words[0]))
                words = (GAP,)
            if position >= len(self._names) or form[0] == "=":
                values.append(words)
        line_names = [" ".join(words) for words in product(*names)]
        # all names of a range have the one value
        by_name = [" ".join(word for words in values for word in words)] * len(line_names)
        if len(values) == 1 and len(values[0]) == len(line_names):
            by_name = list(values[0])  # a value for each name: VNIs of VLANs
        return tuple(
            EosLine(name, by_name[position], self._section, tuple(secrets)) for position, name in enumerate(line_names)
        )


def _list_choices(form: str) -> list[str]:
    """Return the words that one word of a form allows: `<a|b>` gives a and b, a literal word itself.

    For a kind of words, such as `<SECRET>`, it is the name of the kind alone.
    """
    return form.strip("=<>").split("|")


def _parse_words(form: str, text: str) -> Words:
    """Return what one word of a line means under a word of a form: read as its kind, or the choice that it abbreviates.

    Raises ValueError or LookupError for a word that is not of that kind.
    """
    choices = _list_choices(form)
    if choices[0] in KINDS:
        return KINDS[choices[0]][1](text)
    return (text if text in choices else next(word for word in choices if word.startswith(text)),)


def _make_word_pattern(word: str) -> str:
    """Return a regular expression for a word and its abbreviations to LEAST_LETTERS letters or more."""
    rest = word[LEAST_LETTERS:]
    return re.escape(word[:LEAST_LETTERS]) + "".join(f"(?:{re.escape(letter)}" for letter in rest) + ")?" * len(rest)


def _make_pattern(forms: list[str]) -> re.Pattern[str]:
    choices = (_list_choices(form) for form in forms)
    texts = (KINDS[words[0]][0] if words[0] in KINDS else "|".join(map(_make_word_pattern, words)) for words in choices)
    return re.compile(" ".join(f"({text})" for text in texts))


class Vocabulary:
    """What `lines.yaml` says: the forms of lines, other spellings of lines by section, and the kinds of lines in order.

    Forms are kept by (section, first letter of a line); the letter is "" for forms that begin with a kind of words.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.ordered: tuple[str, ...] = tuple(content["ordered"])
        self.lines = lru_cache(MOST_LINES)(self._read_lines)
        self._spellings = content["spellings"]
        self._forms: dict[tuple[str, str], list[_LineForm]] = {}
        for section, lines in content["lines"].items():
            for text, section_below in lines.items():
                letter = text.lstrip("<")[0]
                # forms are looked up by their first letter; those that begin with a word in `<>` are tried for every
                # line
                section_and_letter = (section, letter if letter.islower() else "")
                self._forms.setdefault(section_and_letter, []).append(_LineForm(text, section_below or ""))

    def _read_lines(self, section: str, text: str) -> tuple[EosLine, ...]:
        """Return what a line of a section says, as lines in one spelling; a line of no form as it is."""
        for spelling in self._spellings.get(section, ()):
            text = re.sub(f"^{spelling['from']}$", spelling["to"], text)
        negated, positive = text.startswith("no "), text.removeprefix("no ")
        forms = self._forms.get((section, positive[:1]), []) + self._forms.get((section, ""), [])
        readings = list(_list_readings(forms, positive, negated=negated))
        least = min((abbreviated for abbreviated, _ in readings), default=0)
        best = [lines for abbreviated, lines in readings if abbreviated == least]
        if best and (not least or len(set(best)) == 1):  # what is written out goes by the first form
            return best[0]
        return (EosLine(text),)


def _list_readings(forms: list[_LineForm], text: str, *, negated: bool) -> Iterator[tuple[int, tuple[EosLine, ...]]]:
    """Yield, for each form that a line has, how many of its words are abbreviated, and what it says."""
    for form in forms:
        if match := (form.negated if negated else form.positive).fullmatch(text):
            try:
                yield form.count_abbreviated(match), form.lines(match, negated=negated)
            except (ValueError, LookupError):  # no address, or interface, though it looks like one
                continue


@cache
def load_vocabulary() -> Vocabulary:
    """Load the lines that a build writes, from lines.yaml."""
    return Vocabulary(YAML(typ="safe").load(FilePath(__file__).with_name("lines.yaml").read_bytes()))
