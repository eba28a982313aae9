"""Drawings look the same in librsvg, which document tools use, as in a browser: text is where it is, and as wide."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabricgen.export.drawings.book import Books
from fabricgen.export.view.picture import draw_fabric_picture
from tests.conftest import example_cluster, require

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ZOOM = 3
"""Pixels of the comparison for one of CSS: 0.09 mm each."""

BLOCK = 9
"""Pixels along a square of which the mean is compared, so that smoothing of edges does not count: 0.53 mm."""

MOST = 0.001
"""Share of squares that may differ by more than a quarter of black to white."""

COMPARE = """async ([svg, png, zoom, block]) => {
  const load = (url) => new Promise((done, failed) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = () => failed(new Error("an image cannot be read"));
    image.src = url;
  });
  const [drawn, reference] = [await load(svg), await load(png)];
  const [w, h] = [reference.naturalWidth, reference.naturalHeight];
  const read = (image) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: w, height: h });
    const context = canvas.getContext("2d");
    context.fillStyle = "white";
    context.fillRect(0, 0, w, h);
    context.drawImage(image, 0, 0, w, h);
    const { data } = context.getImageData(0, 0, w, h), across = Math.floor(w / block);
    const sums = new Float64Array(across * Math.floor(h / block));
    for (let y = 0; y < Math.floor(h / block) * block; y++)
      for (let x = 0; x < across * block; x++) {
        const i = 4 * (y * w + x);
        sums[Math.floor(y / block) * across + Math.floor(x / block)] += (data[i] + data[i + 1] + data[i + 2]) / 3;
      }
    return sums.map((sum) => sum / block / block);
  };
  const [a, b] = [read(drawn), read(reference)];
  let differ = 0, inked = 0;
  for (let i = 0; i < a.length; i++) {
    if (Math.abs(a[i] - b[i]) > 64) differ++;
    if (b[i] < 250) inked++;
  }
  return { differ: differ / a.length, inked: inked / a.length };
}"""


@cache
def drawing(name: str, path: str) -> str:
    """A drawing of an example by its path below `drawings/`, or the picture of its fabrics."""
    if path == "picture":
        return draw_fabric_picture(example_cluster(name))
    files = (drawn for make in Books(example_cluster(name)).sections.values() for drawn in make())
    content = next(content for found, content in files if found == path)
    return content.decode()


def compare(browser: Browser, folder: Path, svg: str, shown: str = "") -> dict[str, float]:
    """How much librsvg's picture of `svg` differs from Chromium's of `shown`, or of the same."""
    require("" if shutil.which("rsvg-convert") else "rsvg-convert is missing: `apt-get install librsvg2-bin`")
    file, picture = folder / "drawing.svg", folder / "drawing.png"
    file.write_text(svg, encoding="utf-8")
    command = ["rsvg-convert", "--background-color", "white", "--zoom", str(ZOOM), "-o", str(picture), str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    urls = [
        f"data:{kind};base64,{base64.b64encode(content).decode()}"
        for kind, content in (("image/svg+xml", (shown or svg).encode()), ("image/png", picture.read_bytes()))
    ]
    page = browser.new_page()
    try:
        measured: dict[str, float] = page.evaluate(COMPARE, [*urls, ZOOM, BLOCK])
    finally:
        page.close()
    return measured


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("superpod-b300", "racks/p1-su01-net01.svg"),
        ("superpod-b300", "racks/p1-su01-rk01.svg"),
        ("superpod-b300", "floor/h1.svg"),
        ("superpod-b300", "nodes/dgx-b300.svg"),
        ("nvl72-gb200", "racks/p1-su01-rk01.svg"),
        ("nvl72-gb200", "nodes/gb200-tray.svg"),
        ("full-cluster", "racks/p1-su01-net01.svg"),
        ("two-site", "floor/east.h1.svg"),
        ("leaf-spine", "picture"),
    ],
)
def test_librsvg_and_a_browser_draw_the_same(browser: Browser, tmp_path: Path, name: str, path: str) -> None:
    measured = compare(browser, tmp_path, drawing(name, path))
    assert measured["inked"] > 0.02, "something is drawn"
    assert measured["differ"] <= MOST, (name, path, measured)


def test_texts_a_third_of_a_line_off_or_of_another_width_are_seen(browser: Browser, tmp_path: Path) -> None:
    """What librsvg did to texts with `dominant-baseline` and `textLength` is above what may differ, by far."""
    svg = drawing("full-cluster", "racks/p1-su01-net01.svg")
    higher = re.sub(
        r'y="([\d.]+)" font-size="([\d.]+)"',
        lambda text: f'y="{float(text[1]) - 0.35 * float(text[2]):.2f}" font-size="{text[2]}"',
        svg,
    )
    assert compare(browser, tmp_path, svg, higher)["differ"] > 5 * MOST
    unsqueezed = re.sub(r' transform="scale\([\d.]+ 1\)"', "", svg)
    assert unsqueezed != svg
    assert compare(browser, tmp_path, svg, unsqueezed)["differ"] > 3 * MOST


@pytest.mark.parametrize("name", ["superpod-b300", "full-cluster"])
def test_no_drawing_asks_for_what_librsvg_passes_over(name: str) -> None:
    for section in Books(example_cluster(name)).sections.values():
        for _, content in section():
            assert b"dominant-baseline" not in content
            assert b"textLength" not in content
    assert "dominant-baseline" not in draw_fabric_picture(example_cluster(name))
