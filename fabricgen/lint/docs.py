"""The manual of the rules, from the rules themselves."""

from __future__ import annotations

import inspect
from textwrap import dedent, indent

from fabricgen.lint.rule import PlanRule, Rule, all_rules


def explain(rule: Rule) -> str:
    """One rule as a page of text: claim, reason, remedy, and both examples."""
    kind = "plan" if isinstance(rule, PlanRule) else "design"
    about = inspect.cleandoc(rule.__doc__ or "")
    bad, good = (indent(dedent(text).strip(), "    ") for text in (rule.bad, rule.good))
    head = f"{rule.id} {rule.title} ({rule.severity.label}, {kind} rule)"
    return f"{head}\n\n{about}\n\nFlagged:\n\n{bad}\n\nRight:\n\n{good}\n"


def rules_page() -> str:
    """All rules as a Markdown page."""
    lines = [
        "# Lint rules",
        "",
        "Generated from the rules by `tools/generate.py`. `fabricgen rules ID` prints one.",
        "",
    ]
    lines += ["| code | severity | claim |", "|---|---|---|"]
    lines += [f"| [{r.id}](#{r.id.lower()}) | {r.severity.label} | {r.title} |" for r in all_rules()]
    for rule in all_rules():
        bad, good = (dedent(text).strip() for text in (rule.bad, rule.good))
        lines += ["", f"## {rule.id}", "", inspect.cleandoc(rule.__doc__ or ""), ""]
        lines += ["Flagged:", "", "```yaml", bad, "```", "", "Right:", "", "```yaml", good, "```"]
    return "\n".join(lines) + "\n"
