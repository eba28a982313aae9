"""`fabricgen init`: a blueprint to start from."""

from __future__ import annotations

from pathlib import Path

import click

SCHEMA = "blueprint.schema.json"
"""What the schema is called beside a blueprint; `fabricgen schema BLUEPRINT -o` renews it."""


@click.command()
@click.argument("file", required=False, default="blueprint.yaml", metavar="[FILE]")
@click.option("--example", default="leaf-spine", show_default=True, help="Example to start from; `list` names them.")
def command(file: str, example: str) -> None:
    """Write an example blueprint to FILE (default blueprint.yaml; - is standard output).

    The JSON Schema goes beside it unless it is there, so that editors complete and explain what is written, and mark
    names that are not in the catalogue. `fabricgen schema FILE -o` renews it once you have profiles of your own.
    """
    from fabricgen.blueprint.schema import schema_text
    from fabricgen.catalog.loader import Catalog
    from fabricgen.kernel.diagnostics import did_you_mean, fault
    from fabricgen.kernel.resources import resource_dir

    examples = {p.stem: p for p in sorted(resource_dir("blueprints").glob("*.yaml"))}
    if example == "list":
        click.echo("\n".join(examples))
        return
    if example not in examples:
        raise fault("FG032", f"there is no example '{example}'", hint=did_you_mean(example, examples))
    text = examples[example].read_text(encoding="utf-8")
    body = "".join(line for line in text.splitlines(keepends=True) if "yaml-language-server" not in line)
    if file == "-":
        click.echo(body, nl=False)
        return
    try:
        with Path(file).open("x", encoding="utf-8") as stream:
            stream.write(f"# yaml-language-server: $schema={SCHEMA}\n{body}")
        beside = Path(file).with_name(SCHEMA)
        if not beside.exists():
            beside.write_text(schema_text("blueprint", Catalog(beside.parent / "catalog")), encoding="utf-8")
    except FileExistsError:
        raise fault("FG023", f"{file} exists; it is left as it is", hint="name another file") from None
    except OSError as error:
        raise fault("FG023", f"cannot write {file}: {error.strerror}") from error
    click.echo(f"{file} written; next: fabricgen show {file}", err=True)
