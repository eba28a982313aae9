"""What `size -o` writes: the blueprints, the figures as JSON and a page, and the front as a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from fabricgen import __version__
from fabricgen.export.drawings.svg import make_svg_file
from fabricgen.publish import Content, FileBundle
from fabricgen.size.plot import draw_sheet
from fabricgen.size.reports import html, json
from fabricgen.size.search import SearchResult

PART = "size"


def make_header() -> dict[str, object]:
    """Return the header of the manifest: the version of fabricgen and the command."""
    return {"fabricgen": __version__, "command": PART}


def list_bundles(result: SearchResult, pages: Mapping[str, str], folder: Path, *, every: bool) -> list[FileBundle]:
    """Return the files of `size -o`, sorted by path.

    They are a blueprint for each of `pages` (name of a candidate -> its text), `size.json`, `size.html`, `front.svg`,
    and the profiles in `catalog/` of `folder`. With `every`, JSON and HTML have the beaten candidates too.
    """
    files: list[tuple[str, Content]] = [(f"{name}.yaml", page.encode()) for name, page in pages.items()]
    files += [
        ("size.json", json.report(result, every=every)),
        ("size.html", html.report(result, every=every)),
        ("front.svg", make_svg_file(draw_sheet(result))),
    ]
    profile_files = (file for file in (folder / "catalog").rglob("*.yaml") if file.is_file())
    files += [(file.relative_to(folder).as_posix(), file.read_bytes()) for file in profile_files]
    return [FileBundle(PART, path, partial(_wrap_file, path, content)) for path, content in sorted(files)]


def _wrap_file(path: str, content: Content) -> Iterable[tuple[str, Content]]:
    return [(path, content)]
