"""Snippets of configurations, as the cases of rules have them, as the files that readers take."""

from __future__ import annotations

import io
import json
from typing import Any

from ruamel.yaml import YAML

from fabricgen.kernel.nos_rooms import load_part


def name_file(nos: str) -> str:
    """The file that text of a NOS stands for: the last of those that its statements are read from."""
    patterns: tuple[str, ...] = getattr(load_part(nos, "statements"), "FILES", ("frr.conf",))
    return patterns[-1].replace("*", "switch")


def files_of_snippet(nos: str, snippet: Any) -> dict[str, str]:
    """The files of a snippet: text; SONiC's tables with `frr.conf` among them, and the tree below NVUE's `set`."""
    if isinstance(snippet, str):
        return {name_file(nos): snippet}
    if nos == "sonic":
        tables = {table: rows for table, rows in snippet.items() if table != "frr.conf"}
        beside = {"frr.conf": snippet["frr.conf"]} if "frr.conf" in snippet else {}
        return {"config_db.json": json.dumps(tables), **beside}
    text = io.StringIO()
    YAML(typ="safe").dump([{"set": snippet}], text)
    return {name_file(nos): text.getvalue()}
