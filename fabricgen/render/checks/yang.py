"""Checks with SONiC's YANG models, if a user has them: libyang validates config_db.json, converted by their schema.

The conversion follows src/sonic-yang-mgmt of sonic-buildimage (sonic_yang_ext.py): a table is a container; a row is a
container with the key's name, or an entry of the list with as many keys as the key has parts; a map is an inner list.
Values are passed as XML, where all are text, so none needs a conversion. The library is the `libyang` binding, imported
on use.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from fabricgen.catalog.sonic_schema import find_field_facts
from fabricgen.kernel.diagnostics import fault
from fabricgen.render.checks.problem import ConfigProblem
from fabricgen.render.checks.shape import Value, read_tables

CODE = "FG902"
INSTALL = "pip install libyang, whose major version is that of the C library (Debian: libyang2-dev and libyang<2.8)"

_NAMESPACE = re.compile(r"\bnamespace\s+[\"']([^\"']+)[\"']")


@dataclass(frozen=True, slots=True)
class _YangTable:
    """The YANG container of a table, the container above it, and the namespace of both."""

    node: Any
    top: str
    namespace: str


class YangModels:
    """The YANG models of a folder, loaded once."""

    def __init__(self, folder: Path) -> None:
        """Load the models of a folder; raises InputError if they, or the library, are missing."""
        try:
            import libyang
        except ImportError:
            raise fault("FG056", "YANG models are judged by libyang, which is not installed", hint=INSTALL) from None
        models = folder / "yang-models" if (folder / "yang-models").is_dir() else folder
        files = sorted(models.glob("sonic-*.yang"))
        if not files:
            raise fault("FG001", f"there are no sonic-*.yang in '{folder}'", hint="name src/sonic-yang-models")
        self._libyang: Any = libyang
        self._folder = tempfile.TemporaryDirectory(prefix="fabricgen-yang-")
        rendered = render_models(models.parent / "yang-templates", Path(self._folder.name))
        self._context: Any = libyang.Context(f"{self._folder.name}:{models}")
        self._tables = dict(self._load_tables([*files, *rendered]))

    def _load_tables(self, files: list[Path]) -> Iterator[tuple[str, _YangTable]]:
        """Yield (name, container) of the tables of all models.

        All models are loaded first, since loading one may recompile earlier ones.
        """
        modules = [self._load_module(file) for file in files]
        containers = (self._libyang.SNode.CONTAINER,)
        for file, module in zip(files, modules, strict=True):
            namespace = _NAMESPACE.search(file.read_text(encoding="utf-8"))
            for top in module.children(types=containers) if namespace else ():
                for table in top.children(types=containers):
                    yield table.name(), _YangTable(table, top.name(), namespace[1] if namespace else "")

    def _load_module(self, file: Path) -> Any:
        """Load a module; raises InputError (FG002) for a file that cannot be loaded."""
        try:
            return self._context.load_module(file.stem)
        except self._libyang.LibyangError as error:
            raise fault("FG002", f"the model {file.name} cannot be loaded: {error}") from None

    def list_problems(self, data: Any) -> Iterator[ConfigProblem]:
        """Yield tables without a model, rows that no list of their table accepts, and errors of libyang.

        Of dangling references libyang reports only the first, without its place.
        """
        rows: dict[str, list[str]] = {}
        refused = False
        for name, keys in read_tables(data)[0].items():
            if name not in self._tables:
                yield ConfigProblem(name, found="no YANG model has this table", grave=False)
                continue
            for key, fields in keys.items():
                text = self._write_row(self._tables[name].node, name, key, fields)
                message = (
                    self._find_error({name: [text]}, parse_only=True)
                    if text
                    else "the model has no list with such a key"
                )
                if message:
                    refused = True
                    yield ConfigProblem(name, key, found=message)
                elif text:
                    rows.setdefault(name, []).append(text)
        message = "" if refused else self._find_error(rows, parse_only=False)
        if message:
            yield ConfigProblem("", found=message)

    def _find_error(self, rows: dict[str, list[str]], *, parse_only: bool) -> str:
        """Return libyang's error message about rows by table, "" for none; `parse_only` skips
        references between rows.
        """
        tops: dict[tuple[str, str], list[str]] = {}
        for name, texts in rows.items():
            container = self._tables[name].top, self._tables[name].namespace
            tops.setdefault(container, []).append(_write_element(name, *texts))
        text = "".join(f'<{top} xmlns="{space}">{"".join(parts)}</{top}>' for (top, space), parts in tops.items())
        try:
            parsed = self._context.parse_data_mem(text, "xml", strict=True, no_state=True, parse_only=parse_only)
        except self._libyang.LibyangError as error:
            return str(error).removeprefix("failed to parse data tree: ")
        parsed.free()
        return ""

    def _write_row(self, table: Any, name: str, key: str, fields: dict[str, Value]) -> str | None:
        """Return a row as XML; None if no node of the table accepts its key."""
        kinds = self._libyang.SNode
        single = next((c for c in table.children(types=(kinds.CONTAINER,)) if c.name() == key), None)
        if single is not None:
            return _write_element(key, *self._write_leaves(single, name, key, fields))
        parts = key.split("|")
        for entry in table.children(types=(kinds.LIST,)):
            keys = [leaf.name() for leaf in entry.keys()]  # noqa: SIM118 - keys of a list in a schema
            if len(keys) != len(parts):
                continue
            inner = next(iter(entry.children(types=(kinds.LIST,))), None)
            named = [_write_element(leaf, escape(part)) for leaf, part in zip(keys, parts, strict=True)]
            rest = self._write_leaves(entry, name, key, fields) if inner is None else self._write_entries(inner, fields)
            return _write_element(entry.name(), *named, *rest)
        return None

    def _write_leaves(self, node: Any, table: str, key: str, fields: dict[str, Value]) -> Iterator[str]:
        """Yield fields as XML elements, one for each text of a list."""
        lists = {leaf.name() for leaf in node.children(types=(self._libyang.SNode.LEAFLIST,))}
        for field, value in fields.items():
            facts = find_field_facts(table, key, field) if field in lists else None
            texts: Iterable[str] = value
            if isinstance(value, str):
                texts = value.split(facts.separator) if facts and facts.separator else [value]
            yield from (_write_element(field, escape(text)) for text in texts)

    def _write_entries(self, inner: Any, fields: dict[str, Value]) -> Iterator[str]:
        """Yield the fields of a map as entries of its inner list, each with its key and the one other leaf."""
        key = next(iter(inner.keys())).name()
        leaf = next(c.name() for c in inner.children(types=(self._libyang.SNode.LEAF,)) if c.name() != key)
        for field, value in fields.items():
            texts = [value] if isinstance(value, str) else value
            yield _write_element(
                inner.name(),
                _write_element(key, escape(field)),
                *(_write_element(leaf, escape(text)) for text in texts),
            )


def _write_element(name: str, *content: str) -> str:
    """Return an XML element."""
    return f"<{name}>{''.join(content)}</{name}>"


def render_models(templates: Path, folder: Path) -> list[Path]:
    """Render the models that SONiC's build makes from templates, as it does (sonic-yang-models, setup.py); return the
    files.
    """
    if not templates.is_dir():
        return []
    from jinja2 import FileSystemLoader
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(loader=FileSystemLoader(templates), trim_blocks=True, autoescape=False)
    files = []
    for template in sorted(templates.glob("*.yang.j2")):
        file = folder / template.name.removesuffix(".j2")
        file.write_text(environment.get_template(template.name).render(yang_model_type="py"), encoding="utf-8")
        files.append(file)
    return files
