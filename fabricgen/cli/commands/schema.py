"""`fabricgen schema`: the JSON Schema of blueprints, of catalogue profiles or of project settings."""

from __future__ import annotations

import click

from fabricgen.cli.options import output_option


@click.command()
@click.option("--of", type=click.Choice(["blueprint", "catalog", "project"]), default="blueprint", show_default=True)
@output_option
def command(of: str, output: str) -> None:
    """Write JSON Schema 2020-12, for editors and checks."""
    import json

    from fabricgen.blueprint.schema import blueprint_schema, project_schema
    from fabricgen.catalog.schema import catalog_schema
    from fabricgen.cli.output import write_output

    schemas = {"blueprint": blueprint_schema, "catalog": catalog_schema, "project": project_schema}
    write_output(output, (json.dumps(schemas[of](), indent=2, sort_keys=True) + "\n").encode())
