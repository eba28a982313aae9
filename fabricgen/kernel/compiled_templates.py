"""Compiled templates, kept where Python keeps its own compiled modules, for the next process.

To compile the templates of a NOS takes 7 to 16 % of a small build. What is kept is as trusted as the modules beside it:
who may write there may as well change fabricgen.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from fabricgen.kernel.replacing import replace_file
from fabricgen.kernel.tool_stamp import stamp_of


class CompiledTemplates(jinja2.BytecodeCache):
    """Keeps code by the name of its template; what is damaged, or not there, is compiled again."""

    def __init__(self, folder: Path, settings: str) -> None:
        """`settings` are those of the environment by which code differs."""
        self._folder = folder
        self._made_by = stamp_of([Path(jinja2.__file__).parent], settings)

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002 - Jinja2 calls it so
        """The name that the code of a template is kept by."""
        return name.replace("/", ".")

    def get_source_checksum(self, source: str) -> str:
        """What code follows from: the template, Jinja2, and the settings of its environment."""
        return hashlib.sha256(f"{self._made_by}\0{source}".encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take the code of a template, if what is kept is whole and follows from the same."""
        with contextlib.suppress(OSError):  # as it is where Python may not write, or has not
            digest, _, body = self._file(bucket).read_bytes().partition(b"\n")
            if digest == _digest(body):
                bucket.bytecode_from_string(body)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template, where Python may keep that of modules."""
        if sys.dont_write_bytecode:
            return
        body = bucket.bytecode_to_string()
        with contextlib.suppress(OSError):
            replace_file(self._file(bucket), _digest(body) + b"\n" + body)

    def _file(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.{sys.implementation.cache_tag}.template.pyc"


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()
