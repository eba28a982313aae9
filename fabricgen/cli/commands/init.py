"""`fabricgen init`: a blueprint to start from."""

from __future__ import annotations

from pathlib import Path

import click

from fabricgen.cli.options import complete_files

SPARES = (
    "spares: usual     # 2 % of cables and optics, 1 % of switches, one of each at least; without this line, none\n"
)
"""What a new project has of spares, unless its example says."""

SCHEMA = "blueprint.schema.json"
"""What the schema is called beside a blueprint; `fabricgen schema BLUEPRINT -o` renews it."""


@click.command()
@click.argument("file", required=False, default="blueprint.yaml", metavar="[FILE]", shell_complete=complete_files)
@click.option("--example", default="leaf-spine", show_default=True, help="Example to start from; `list` names them.")
def command(file: str, example: str) -> None:
    """Write an example blueprint to FILE (default blueprint.yaml; - is standard output).

    A table that the example names, such as its inventory, goes beside it under its own name.

    The JSON Schema goes beside it unless it is there, so that editors complete and explain what is written, and mark
    names that are not in the catalogue. `fabricgen schema FILE -o` renews it once you have profiles of your own.
    """
    from fabricgen.blueprint.schema import write_schema_text
    from fabricgen.catalog.loader import Catalog
    from fabricgen.kernel.diagnostics import did_you_mean, fault
    from fabricgen.kernel.discovery import find_resource_dir
    from fabricgen.publish.files import replace_file

    folder = find_resource_dir("blueprints")
    examples = {p.stem: p for p in sorted(folder.glob("*.yaml"))}
    if example == "list":
        click.echo("\n".join(examples))
        return
    if example not in examples:
        raise fault("FG032", f"there is no example '{example}'", hint=did_you_mean(example, examples))
    text = examples[example].read_text(encoding="utf-8")
    body = "".join(line for line in text.splitlines(keepends=True) if "yaml-language-server" not in line)
    if not any(line.startswith("spares:") for line in body.splitlines()):
        body += SPARES
    if file == "-":
        click.echo(body, nl=False)
        return
    texts = {Path(file): f"# yaml-language-server: $schema={SCHEMA}\n{body}"}
    texts |= {Path(file).with_name(p.name): p.read_text(encoding="utf-8") for p in folder.glob(f"{example}.csv")}
    schema, written = Path(file).with_name(SCHEMA), list[Path]()
    try:
        for path in filter(Path.exists, texts):
            raise fault(
                "FG023", f"{path} exists; it is left as it is", hint="name another file, or one in another folder"
            )
        if not schema.exists():
            texts[schema] = write_schema_text("blueprint", Catalog(schema.parent / "catalog"))
        for path, content in texts.items():
            written.append(path)
            replace_file(path, content.encode())
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        raise fault("FG023", f"cannot write {file}: {error.strerror}") from error
    click.echo(f"{file} written; next: fabricgen show {file}", err=True)
