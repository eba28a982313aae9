"""The manual of rules and faults, generated from their classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from textwrap import indent

from fabricgen.lint.documented import FAMILIES, Documented
from fabricgen.lint.fault import list_documented_codes

FLAGGED, RIGHT = "Flagged:", "Right:"


def explain_code(code: Documented) -> str:
    """The page of one code as text: claim, reason, remedy, and both examples."""
    bad, good = (indent(text, "    ") for text in code.examples)
    head = f"{code.id} {code.title} ({code.severity.label}, {code.kind}, {code.family})"
    examples = f"\n{FLAGGED}\n\n{bad}\n\n{RIGHT}\n\n{good}\n" if bad or good else ""
    return f"{head}\n\n{code.about}\n{examples}"


def group_by_family(codes: Iterable[Documented]) -> Iterator[tuple[str, tuple[Documented, ...]]]:
    """(prefix, codes) of every family; `codes` must be sorted."""
    for prefix, members in groupby(codes, lambda code: code.id[:-2]):
        yield prefix, tuple(members)


def format_code_list(codes: Iterable[Documented]) -> str:
    """Codes as a list for people, one paragraph for each family."""
    return "\n\n".join(
        "\n".join(
            [
                f"{prefix}xx {members[0].family}",
                *(f"  {c.id}  {c.severity.label:<8} {c.kind:<12} {c.title}" for c in members),
            ]
        )
        for prefix, members in group_by_family(codes)
    )


def make_code_record(code: Documented) -> Mapping[str, object]:
    """A code as data for JSON; `examples` says whether `bad` and `good` are blueprints or prose."""
    bad, good = code.examples
    return {
        "code": code.id,
        "name": code.name,
        "family": code.family,
        "kind": code.kind,
        "severity": code.severity.label,
        "title": code.title,
        "about": code.about,
        "examples": "words" if code.in_words else "blueprint",
        "bad": bad,
        "good": good,
    }


def format_markdown_page(code: Documented) -> str:
    """The page of a code as Markdown, without a heading."""
    if not any(code.examples):
        return f"{code.about}\n"
    bad, good = (f"```{'text' if code.in_words else 'yaml'}\n{text}\n```" for text in code.examples)
    return f"{code.about}\n\n{FLAGGED}\n\n{bad}\n\n{RIGHT}\n\n{good}\n"


def write_rules_page() -> str:
    """All codes as one Markdown page."""
    lines = [
        "# Rules and faults",
        "",
        "Generated from the code by `tools/generate.py`. `fabricgen rules CODE` prints one, `fabricgen rules FG2`",
        "lists those that begin so, and `--format json` writes either for programs.",
        "",
        "A design rule judges without expanding the cluster (`lint --fast` runs these alone), a plan rule sees every",
        "device and link, an engine rule what the linter is told, and a config rule what `fabricgen check` reads. A",
        "fault leaves an input unusable: it cannot be waived, and commands exit with 2. Examples are laid over the",
        "small blueprint of `fabricgen/lint/examples.py`.",
    ]
    codes = list_documented_codes()
    for prefix, members in group_by_family(codes):
        lines += [
            "",
            f"## {prefix}xx: {FAMILIES[prefix]}",
            "",
            "| code | severity | kind | claim |",
            "|---|---|---|---|",
        ]
        lines += [f"| [{c.id}](#{c.id.lower()}) | {c.severity.label} | {c.kind} | {c.title} |" for c in members]
        for code in members:
            lines += ["", f"### {code.id}", "", format_markdown_page(code).rstrip("\n")]
    return "\n".join(lines) + "\n"
