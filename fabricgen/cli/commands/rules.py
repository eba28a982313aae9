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
    from fabricgen.lint.docs import explain_code, format_code_list, make_code_record
    from fabricgen.lint.fault import list_documented_codes
    from fabricgen.lint.rule import load_plugin_rules

    rules, told = load_plugin_rules()
    for diagnostic in told:
        click.echo(diagnostic.text(), err=True)
    known = (*list_documented_codes(), *rules)
    found = tuple(each for each in known if each.id.startswith(code.upper()))
    if not found:
        raise fault(
            "FG034", f"there is no rule or fault '{code}'", hint=did_you_mean(code.upper(), (c.id for c in known))
        )
    if form == "json":
        click.echo(json.dumps([make_code_record(each) for each in found], indent=2))
    elif found[0].id == code.upper():
        click.echo(explain_code(found[0]), nl=False)
    else:
        click.echo(format_code_list(found))
