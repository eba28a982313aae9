"""The target of a build holds what fabricgen did not write."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class TargetNotOurs(Fault):
    """The folder or archive to be written is there already and is not a build of ours.

    A build replaces its target whole, so it only replaces what it wrote itself, known by its manifest.json. Name a
    new or empty folder, or move the file that is in the way.
    """

    id = "FG020"
    title = "the target of a build holds what fabricgen did not write"
    in_words = True
    bad = """
        fabricgen build example.yaml -o ~/Documents
    """
    good = """
        fabricgen build example.yaml -o out
    """
