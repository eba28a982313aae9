"""`fabricgen rules`: what the linter knows."""

from __future__ import annotations

import click


@click.command()
@click.argument("code", required=False, metavar="[ID]")
def command(code: str | None) -> None:
    """List the lint rules, or explain one with its reason, remedy and examples."""
    from fabricgen.kernel.diagnostics import did_you_mean, fault
    from fabricgen.lint.docs import explain
    from fabricgen.lint.rule import all_rules

    rules = {rule.id: rule for rule in all_rules()}
    if code is None:
        for known in rules.values():
            click.echo(f"{known.id}  {known.severity.label:<8} {known.title}")
        return
    rule = rules.get(code.upper())
    if rule is None:
        raise fault("FG034", f"there is no rule '{code}'", hint=did_you_mean(code.upper(), rules))
    click.echo(explain(rule), nl=False)
