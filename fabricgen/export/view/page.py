"""The page: one HTML file with its style, scripts and data, which loads nothing from anywhere.

Texts of a blueprint are data: they stand in JSON, which no markup can end, and scripts put them into the page as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.export.view.source import PageExtras, PageSource
from fabricgen.kernel import discovery

BLOCKS = "fabricgen.export.view.blocks"

SCRIPTS = (
    "base.js",
    "state.js",
    "panel/ends.js",
    "panel/rows.js",
    "camera.js",
    "pen.js",
    "fabric/fabric.js",
    "fabric/links.js",
    "fabric/paint.js",
    "fabric/choices.js",
    "hall/floor.js",
    "hall/trays.js",
    "hall/elevation.js",
    "hall/hall.js",
    "overlays/losses.js",
    "overlays/overlays.js",
    "overlays/colours.js",
    "panel/inspector.js",
    "panel/split.js",
    "panel/totals.js",
    "fabric/marks.js",
    "panel/trace.js",
    "panel/search.js",
    "panel/traysheet.js",
    "main.js",
)
"""The scripts in the order in which they run: each uses only those before it."""

VERIFICATION = "overlays/verification"
"""The script and style for what `verify` found; the script runs just before the last one, which starts the page."""

_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def make_page(cluster: Cluster, beside: PageExtras | None = None, version: int | None = None) -> str:
    """Return the page of a cluster as text.

    It has the data of all modules in `BLOCKS`, except of those that return None for this cluster. With a `version` it
    is a page of `view --watch`, which asks its server for newer versions.
    """
    source = PageSource(cluster, beside or PageExtras())
    blocks = {name: discovery.load_module(BLOCKS, name).block(source) for name in discovery.list_modules(BLOCKS)}
    *scripts, start = SCRIPTS
    verification_scripts = (f"{VERIFICATION}.js",) if blocks["verification"] is not None else ()
    return _assemble_page((*scripts, *verification_scripts, start), blocks, version)


def make_empty_page(version: int) -> str:
    """Return a page without a picture, which asks its server for one."""
    return _assemble_page(SCRIPTS[:1], {}, version)


def _assemble_page(scripts: Iterable[str], blocks: Mapping[str, Any], version: int | None) -> str:
    """Return the page made of scripts, named in the order in which they run, and of blocks of data by name.

    A page with a `version` may connect to the server that it comes from.
    """
    is_watched = version is not None
    texts = [_read_asset(name) for name in (*scripts, *(("watch.js",) if is_watched else ()))]
    blocks = {**blocks, "watch": {"version": version} if is_watched else None}
    style = _read_asset("style.css") + (
        _read_asset(f"{VERIFICATION}.css") if blocks.get("verification") is not None else ""
    )
    text_by_slot = {
        "policy": _make_policy(texts, style) + ("; connect-src 'self'" if is_watched else ""),
        "style": style,
        "blocks": "\n".join(_make_data_script(name, value) for name, value in blocks.items() if value is not None),
        "scripts": "\n".join(f"<script>{text}</script>" for text in texts),
    }
    page = _read_asset("page.html")
    for name, text in text_by_slot.items():
        page = page.replace(f"<!--{name}-->", text, 1)
    return page


def _read_asset(name: str) -> str:
    return resources.files("fabricgen.export.view").joinpath("page", name).read_text(encoding="utf-8")


def _make_policy(scripts: Iterable[str], style: str) -> str:
    """Return the content security policy, which allows the scripts and the style of the page itself, and
    nothing else.
    """
    allowed = " ".join(_hash_text(text) for text in scripts)
    return f"default-src 'none'; script-src {allowed}; style-src {_hash_text(style)} 'unsafe-inline'; img-src data:"


def _hash_text(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _make_data_script(name: str, value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)
    return f'<script type="application/json" id="data-{name}">{text}</script>'
