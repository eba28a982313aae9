"""Draw the examples: `python -m tools.pictures [NAME...]` writes docs/pictures/NAME.svg, of all without names."""

from __future__ import annotations

import sys
from pathlib import Path

from fabricgen.export.view.picture import draw_fabric_picture
from fabricgen.pipeline import compile_cluster, compile_design

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = tuple(sorted(file.stem for file in (ROOT / "blueprints").glob("*.yaml") if not file.stem.endswith(".lock")))


def picture_file(name: str) -> Path:
    """Where the picture of an example is."""
    return ROOT / "docs/pictures" / f"{name}.svg"


def picture(name: str) -> str:
    """The fabric view of an example."""
    return draw_fabric_picture(compile_cluster(compile_design(str(ROOT / "blueprints" / f"{name}.yaml"))))


def main(names: list[str]) -> None:
    """Draw some examples."""
    picture_file("").parent.mkdir(exist_ok=True)
    for name in names or EXAMPLES:
        picture_file(name).write_text(picture(name), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
