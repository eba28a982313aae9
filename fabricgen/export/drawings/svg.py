"""SVG elements in millimetres. All text is escaped here, and squeezed to the width that it may take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from unicodedata import east_asian_width

GLYPH = 0.602
"""Width of a character of the fixed-width fonts below, as a share of the font size (DejaVu Sans Mono; others are
narrower).
"""

STYLE = (
    "text{font-family:'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace;fill:#000;"
    "white-space:pre;text-rendering:geometricPrecision}"
    ".b{font-weight:bold}.m{text-anchor:middle}.e{text-anchor:end}.w{fill:#FFF}.g{fill:#555}"
    ".l{fill:none;stroke:#000;stroke-width:.2}.h{fill:none;stroke:#BBB;stroke-width:.1}"
    ".d{fill:none;stroke:#777;stroke-width:.15;stroke-dasharray:.8 .6}"
    ".t{fill:none;stroke:#555;stroke-width:.1;stroke-opacity:.5}.r{fill:none;stroke:#000;stroke-width:.6}"
    ".c,.v{fill:#FFF;stroke:#555;stroke-width:.1}.v{stroke-dasharray:.5 .4}"
    ".u{fill:none;stroke:#8A5A00;stroke-width:.4;stroke-dasharray:2 .7 .5 .7}"
)
"""CSS classes: bold, middle, end, white ink, grey ink, line, hairline, dashed, tray, front, cage, cage without a
published position, busway.
"""

MIDDLE = 0.35
"""Height of the middle of capitals and digits above the baseline, as a share of the font size (DejaVu Sans Mono: 0.36).

Baselines are computed here because librsvg ignores `dominant-baseline` (gitlab.gnome.org/GNOME/librsvg, issue 414) and
`textLength` (seen in 2.54): so every program draws the same picture.
"""

_REMEMBERED = 1 << 15
"""Size of each cache: switches of a tier have their cages at the same positions."""

_PLAIN = re.compile(r"[A-Za-z0-9 .:/+_-]*")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape_text(text: str) -> str:
    """Return text escaped for XML, inside and outside of quotes.

    Characters that XML cannot contain become U+FFFD (XML 1.0, section 2.2).
    """
    if _PLAIN.fullmatch(text):
        return text
    return escape(_NOT_XML.sub("\ufffd", text))


@lru_cache(_REMEMBERED)
def format_number(value: float) -> str:
    """Return a coordinate rounded to a hundredth of a millimetre, without trailing zeros."""
    return f"{round(value, 2) + 0.0:g}"  # + 0.0 turns -0.0 into 0.0


def measure_text(text: str, size: float) -> float:
    """Return the width of a text of a size, mm; wide East Asian characters count twice."""
    wide = 0 if text.isascii() else sum(east_asian_width(letter) in "WF" for letter in text)
    return (len(text) + wide) * GLYPH * size


@lru_cache(_REMEMBERED)
def draw_label(x: float, y: float, text: str, size: float, style: str = "", fit: float = 0) -> str:
    """Return a text element vertically centred at a point; `style` has classes of STYLE, `size` is in mm.

    A text that is wider than `fit` mm is squeezed, never cut; 0 stands for any width.
    """
    squeeze, x = squeeze_text(x, measure_text(text, size), fit) if fit else ("", x)
    kind = f' class="{style}"' if style else ""
    position = f'x="{format_number(x)}" y="{format_number(y + MIDDLE * size)}" font-size="{format_number(size)}"'
    return f"<text {position}{kind}{squeeze}>{escape_text(text)}</text>"


def squeeze_text(x: float, width: float, fit: float) -> tuple[str, float]:
    """Return the attribute that squeezes a text at x from `width` to `fit` mm, and the x to write with it.

    If the text fits, the attribute is "".
    """
    if width <= fit + 0.01:
        return "", x
    return f' transform="scale({fit / width:.3g} 1)"', x * width / fit


def draw_rect(x: float, y: float, width: float, height: float, fill: str = "none", style: str = "l") -> str:
    """Return a rectangle element by its upper left corner and size."""
    size = f'width="{format_number(width)}" height="{format_number(height)}"'
    paint = f' style="fill:{fill}"' if fill != "none" else ""
    return f'<rect x="{format_number(x)}" y="{format_number(y)}" {size} class="{style}"{paint}/>'


@lru_cache(_REMEMBERED)
def trace_box(x: float, y: float, width: float, height: float) -> str:
    """Return a rectangle as a piece of an SVG path, so that many of one colour make one element."""
    return (
        f"M{format_number(x)} {format_number(y)}h{format_number(width)}v{format_number(height)}"
        f"h{format_number(-width)}z"
    )


def draw_path(pieces: list[str], style: str, fill: str = "") -> str:
    """Return one path element made of many pieces; "" for none."""
    paint = f' style="fill:{fill};stroke:none"' if fill else ""
    return f'<path class="{style}"{paint} d="{"".join(pieces)}"/>' if pieces else ""


def make_svg(width: float, height: float, body: str, *, title: str, alone: bool = False) -> str:
    """Return an SVG element of a size in mm; `alone` makes it a complete file with its own style sheet."""
    style = f"<style>{STYLE}</style>" if alone else ""
    # librsvg knows the attribute, and not the property `white-space` of the style sheet
    namespace = ' xmlns="http://www.w3.org/2000/svg" xml:space="preserve"' if alone else ""
    size = (
        f'width="{format_number(width)}mm" height="{format_number(height)}mm"'
        f' viewBox="0 0 {format_number(width)} {format_number(height)}"'
    )
    return f'<svg{namespace} {size} role="img"><title>{escape_text(title)}</title>{style}{body}</svg>'


def make_svg_file(svg: str) -> bytes:
    """Return an SVG element as the content of a file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'.encode()


# Wrap text in narrow cells: each group of words starts a line, and a word is broken only at hyphens.

Groups = tuple[tuple[str, ...], ...]
"""Words by group; each group starts a new line."""

_PIECE = re.compile(r"[^-]*-+|[^-]+")


def wrap_words(groups: Groups, width: int) -> list[str]:
    """Return lines of at most `width` characters; a piece of a word that is longer gets a line of its own."""
    return [line for words in groups for line in _wrap_group(words, width)]


def _wrap_group(words: tuple[str, ...], width: int) -> Iterator[str]:
    """Yield lines of at most `width` characters; a word that is longer is broken at its hyphens."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = ""
        if len(word) <= width:
            line = f"{line} {word}" if line else word
            continue
        for piece in _PIECE.findall(word):
            if line and len(line) + len(piece) > width:
                yield line
                line = ""
            line += piece
    if line:
        yield line


def find_narrowest_width(texts: Iterable[Groups], lines: int) -> int:
    """Return the smallest width, in characters, with which each text fits in `lines` lines; 1 for no texts.

    Texts whose pieces have equal lengths are measured once. `lines` must be at least the number of groups.
    """
    shapes = {
        tuple(tuple(tuple(map(len, _PIECE.findall(word))) for word in words) for words in groups): groups
        for groups in texts
    }
    width = 1
    for groups in shapes.values():
        while len(wrap_words(groups, width)) > lines:
            width += 1
        width = max(width, *(len(line) for line in wrap_words(groups, width)))
    return width
