"""Detection of safety lines that a user's own templates drop.

The first switch of each tier is rendered with and without the user's templates: each line that the catalogue marks as a
safety line of its NOS must be in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.catalog.nos_configuration import SafetyLine
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import TierKey
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity
from fabricgen.render.engine import Renderer, RenderOptions
from fabricgen.render.trees import read_data
from fabricgen.views.switch import SwitchView

CODE = "FG704"
"""The lint rule that also covers snippets."""


def find_lost_safety_lines(cluster: Cluster, options: RenderOptions) -> Iterator[Diagnostic]:
    """Yield a finding for each tier whose configurations lose safety lines to the user's templates.

    Raises InputError if a template fails, and for a snippet that cannot be placed in the rendered text.
    """
    built_in_renderer, own_renderer = (
        Renderer(RenderOptions(managements=options.managements, spans=options.spans)),
        Renderer(options),
    )
    checked: set[TierKey] = set()
    for row in cluster.switch_rows():
        cls = cluster.plan.devices.classes[cluster.plan.devices.device_class[row]]
        key = cls.key
        if key in checked:
            continue
        checked.add(key)
        view = cluster.switch(row)
        try:
            lost = list(_list_lost_lines(cluster, view, built_in_renderer, own_renderer))
        except InputError as error:
            raise cluster.design.loaded.locate_error(error) from error
        if lost:
            line, why = lost[0]
            more = f", and {len(lost) - 1} more lines" if len(lost) > 1 else ""
            message = f"templates of {view.tier.nos} leave out '{line}' of {view.name}{more}: {why}"
            yield Diagnostic(CODE, Severity.WARNING, message, view.tier.path)


def _list_lost_lines(
    cluster: Cluster, view: SwitchView, built_in_renderer: Renderer, own_renderer: Renderer
) -> Iterator[tuple[str, str]]:
    """Yield (line, why it matters) of each safety line that is in the built-in text but not in the user's."""
    catalog = cluster.design.catalog
    safety = catalog.naming(view.tier.nos).configuration.safety
    now = {path: set(_list_lines(path, content.decode())) for path, content in own_renderer.files(view, catalog)}
    for path, content in built_in_renderer.files(view, catalog):
        for line in _list_lines(path, content.decode()):
            if line not in now.get(path, ()) and (why := _explain_line(line.rpartition(" > ")[2], safety)):
                yield line.rpartition(" > ")[2], why


def _explain_line(line: str, safety: tuple[SafetyLine, ...]) -> str:
    """Return why a safety line matters, as the catalogue says of the first pattern that it matches."""
    return next((s.why for s in safety if re.fullmatch(s.line, line.partition(" = ")[0])), "")


def _list_lines(path: str, text: str) -> Iterator[str]:
    """Yield every line of a text below the lines that it is indented under; of JSON or YAML, every value below its
    path.
    """
    if path.endswith((".json", ".yaml")):
        yield from _list_values(read_data(path, text))
        return
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        above = [(n, parent) for n, parent in above if n < indent]
        if line.strip() and line.strip() != "!":
            yield " > ".join([*(parent for _, parent in above), line.strip()])
            above.append((indent, line.strip()))


def _list_values(data: Any, path: str = "") -> Iterator[str]:
    """Yield every value of data as `path = value`, with keys joined by slashes; items of a list have its path."""
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            yield from _list_values(value, f"{path}/{key}" if path else str(key))
    elif isinstance(data, list):
        for value in data:
            yield from _list_values(value, path)
    else:
        yield f"{path} = {data}"
