"""The lock does not fit the blueprint, or is no lock."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadLock(Fault):
    """The lock file is damaged, is of another blueprint, gives one number to two holders, is not up to date
    (`--locked`), or has no room for what is new.

    The lock keeps numbers and addresses where they are through later edits; docs/lock.md says what it holds. Two
    branches that took the same numbers meet here. Run `fabricgen lock` on the merged blueprint and commit what it
    writes.
    """

    id = "FG038"
    title = "the lock does not fit the blueprint, or is no lock"
    in_words = True
    bad = """
        fabricgen build example.yaml -o out --locked, after an edit that was not followed by `fabricgen lock`
    """
    good = """
        fabricgen lock example.yaml, then git add example.yaml example.lock.yaml
    """
