"""`fabricgen rules`: what every code means."""

from __future__ import annotations

import click


@click.command()
@click.argument("code", required=False, default="", metavar="[CODE]")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(code: str, form: str) -> None:
    """List the codes of rules and faults, those that begin like CODE, or explain one with reason, remedy and examples.

    A design or plan rule judges what can be built; a fault leaves a blueprint, or another input, unusable.
    """
    import json

    from fabricgen.kernel.diagnostics import did_you_mean, fault
    from fabricgen.lint.docs import as_data, explain, listing
    from fabricgen.lint.fault import all_codes
    from fabricgen.lint.rule import plugged_rules

    rules, told = plugged_rules()
    for diagnostic in told:
        click.echo(diagnostic.text(), err=True)
    known = (*all_codes(), *rules)
    found = tuple(each for each in known if each.id.startswith(code.upper()))
    if not found:
        raise fault(
            "FG034", f"there is no rule or fault '{code}'", hint=did_you_mean(code.upper(), (c.id for c in known))
        )
    if form == "json":
        click.echo(json.dumps([as_data(each) for each in found], indent=2))
    elif found[0].id == code.upper():
        click.echo(explain(found[0]), nl=False)
    else:
        click.echo(listing(found))
