"""Snippets of configurations, as the cases of rules have them, as the files that readers take."""

from __future__ import annotations

import io
import json
from typing import Any

from ruamel.yaml import YAML

NAMES = {"frr": "frr.conf", "eos": "switch.cfg", "cumulus": "startup.yaml", "sonic": "frr.conf"}


def files_of_snippet(nos: str, snippet: Any) -> dict[str, str]:
    """The files of a snippet: text; SONiC's tables with `frr.conf` among them, and the tree below NVUE's `set`."""
    if isinstance(snippet, str):
        return {NAMES[nos]: snippet}
    if nos == "sonic":
        tables = {table: rows for table, rows in snippet.items() if table != "frr.conf"}
        beside = {"frr.conf": snippet["frr.conf"]} if "frr.conf" in snippet else {}
        return {"config_db.json": json.dumps(tables), **beside}
    text = io.StringIO()
    YAML(typ="safe").dump([{"set": snippet}], text)
    return {NAMES[nos]: text.getvalue()}
