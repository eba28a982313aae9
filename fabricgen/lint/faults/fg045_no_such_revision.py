"""A revision of git cannot be read."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoSuchRevision(Fault):
    """`git:REVISION:PATH` names no revision, no repository, a file that is not in it, or one that includes a file
    outside.

    What is compared must be of that revision whole, so nothing of it is taken from the work tree. Check the
    revision with `git rev-parse`, and fetch it where a CI job has a shallow clone.
    """

    id = "FG045"
    title = "a revision of git cannot be read"
    in_words = True
    bad = """
        fabricgen plan git:main:site.yaml site.yaml, in a clone that has only the current branch
    """
    good = """
        git fetch origin main, then fabricgen plan git:origin/main:site.yaml site.yaml
    """
