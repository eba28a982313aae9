"""Another build is writing the target."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BuildRunning(Fault):
    """A build into the same folder or archive has not ended.

    Two builds at once would mix their files. Wait for the other, or choose another target; a build that was killed
    leaves no lock that holds.
    """

    id = "FG022"
    title = "another build is writing the target"
    in_words = True
    bad = """
        Two jobs of a pipeline run `fabricgen build example.yaml -o out` at the same time.
    """
    good = """
        Each job builds into a folder of its own.
    """
