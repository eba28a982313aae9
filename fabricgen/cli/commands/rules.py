"""`fabricgen rules`: what every code means."""

from __future__ import annotations

import click


@click.command()
@click.argument("code", required=False, default="", metavar="[CODE]")
@click.option("--format", "form", type=click.Choice(("text", "json", "markdown")), default="text", show_default=True)
def command(code: str, form: str) -> None:
    """List the codes of rules and faults, those that begin like CODE, or explain one with reason, remedy and examples;
    `--format markdown` explains all that are listed.

    A design or plan rule judges what can be built; a fault leaves a blueprint, or another input, unusable.
    """
    import json

    from fabricgen.kernel.diagnostics import did_you_mean, fault
    from fabricgen.lint.docs import explain_code, format_code_list, make_code_record, write_manual
    from fabricgen.lint.fault import list_documented_codes
    from fabricgen.lint.rule import load_plugin_rules

    rules, plug_in_faults = load_plugin_rules()
    for diagnostic in plug_in_faults:
        click.echo(diagnostic.text(), err=True)
    all_rules = (*list_documented_codes(), *rules)
    chosen = tuple(rule for rule in all_rules if rule.id.startswith(code.upper()))
    if not chosen:
        raise fault(
            "FG034", f"there is no rule or fault '{code}'", hint=did_you_mean(code.upper(), (c.id for c in all_rules))
        )
    if form == "json":
        click.echo(json.dumps([make_code_record(rule) for rule in chosen], indent=2))
    elif form == "markdown":
        click.echo(write_manual(chosen), nl=False)
    elif chosen[0].id == code.upper():
        click.echo(explain_code(chosen[0]), nl=False)
    else:
        click.echo(format_code_list(chosen))
