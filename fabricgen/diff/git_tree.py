"""Files of a git revision, read without a checkout: no hooks, filters, symbolic links or network."""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fabricgen.kernel.diagnostics import InputError, Span, did_you_mean, fault
from fabricgen.publish.manifest import check_path

PREFIX = "git:"
"""The beginning of the name of a path in a revision: `git:REV:path`."""

MAX_TOTAL = 512 * 1024 * 1024
"""The most bytes that are read of one revision."""

_CODE = "FG045"
_SPEC = re.compile(r"git:((?:[^:{}]|\{[^{}]*\})*):(.*)", re.DOTALL)
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
}
_CONFIG = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "protocol.allow=never")


@dataclass(frozen=True, slots=True)
class _Blob:
    """A regular file of a revision: object id and size in bytes."""

    oid: str
    size: int


@dataclass(frozen=True)
class GitTree:
    """A file or folder in a revision.

    `spec` is what the user wrote (`git:main:pod.yaml`), `commit` the id of the revision's commit, and `path` is
    relative to the top of the repository ("" for the top itself).
    """

    spec: str
    commit: str
    path: str
    is_folder: bool

    @property
    def shown(self) -> str:
        """`git:REV:`, the prefix for paths in error messages."""
        return f"{PREFIX}{_split_spec(self.spec)[0]}:"

    @cached_property
    def _folder(self) -> str:
        return self.path if self.is_folder else posixpath.dirname(self.path)

    @cached_property
    def _files(self) -> dict[str, _Blob]:
        """Regular files in the folder (or in the folder of the file), by path from the top; no links or submodules."""
        return self._list_blobs(self._folder)

    def _list_blobs(self, folder: str) -> dict[str, _Blob]:
        """Return the regular files below a folder, by path from the top.

        Raises InputError for a path that no system should write.
        """
        where = ["--", f"{folder}/"] if folder else []
        output = _run_git(self.spec, "ls-tree", "-r", "-z", "-l", "--full-tree", self.commit, *where)
        blobs: dict[str, _Blob] = {}
        # `-z` ends each entry with a NUL, since names of files may contain line ends
        for entry in output.split(b"\0")[:-1]:
            facts, _, name = entry.partition(b"\t")
            mode, _, oid, size = facts.split()
            path = os.fsdecode(name)
            # modes of regular files; links and submodules have others
            if mode in (b"100644", b"100755"):
                try:
                    check_path(path)
                except ValueError:
                    raise _explain_refusal(self.spec, f"{path!r} in that revision is no path to write") from None
                blobs[path] = _Blob(oid.decode(), int(size))
        return blobs

    def has_file(self, name: str) -> bool:
        """Whether the folder has a file of that name."""
        return posixpath.join(self._folder, name) in self._files

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of files by name, relative to the folder; names of other things are left out."""
        blobs = {name: self._files.get(posixpath.join(self._folder, name)) for name in names}
        return self._read_blobs({name: blob for name, blob in blobs.items() if blob})

    def _read_blobs(self, blobs: Mapping[str, _Blob]) -> dict[str, bytes]:
        """Return the contents of some files by name, from one call of git.

        Raises InputError if they are too large together.
        """
        if sum(blob.size for blob in blobs.values()) > MAX_TOTAL:
            hint = "keep blueprints in a folder of their own"
            raise _explain_refusal(self.spec, f"the files there are larger than {MAX_TOTAL >> 20} MiB", hint)
        object_ids = "".join(f"{blob.oid}\n" for blob in blobs.values()).encode()
        output = _run_git(self.spec, "cat-file", "--batch", stdin=object_ids) if blobs else b""
        contents: dict[str, bytes] = {}
        start = 0
        for name, blob in blobs.items():
            # `cat-file --batch` writes a line about each object, its bytes, and a line end
            start = output.index(b"\n", start) + 1
            contents[name] = output[start : start + blob.size]
            start += blob.size + 1
        return contents

    def write(self, target: Path, *, largest: int, whole: bool = False) -> Path:
        """Write the files of the folder and of all below it into an empty folder; return the blueprint's path there.

        Files above `largest` bytes and built folders (those with a manifest.json) are left out; with `whole` the whole
        repository is written. Raises InputError if that exceeds `MAX_TOTAL`.
        """
        files = self._list_blobs("") if whole else self._files
        built_folders = {posixpath.dirname(path) for path in files if posixpath.basename(path) == "manifest.json"}
        built_folders -= {self._folder}
        blobs_to_write = {
            path: blob
            for path, blob in files.items()
            if blob.size <= largest and not any(str(parent) in built_folders for parent in Path(path).parents)
        }
        for path, content in self._read_blobs(blobs_to_write).items():
            file = target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return target / self.path


def open_tree(spec: str) -> GitTree:
    """Find `git:REV:path` in the repository of the current folder.

    As in git, a path is relative to the top of the repository, or to the current folder if it begins with `./` or
    `../`. Raises InputError (FG045) if git, a repository, the revision or the path is missing.
    """
    revision, path = _split_spec(spec)
    prefix = os.fsdecode(_run_git(spec, "rev-parse", "--show-prefix")).rstrip("\n")
    try:
        # after `--end-of-options` a revision cannot be taken for an option; `^{commit}` follows tags
        output = _run_git(spec, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except InputError:
        hint = "name a branch, a tag or a commit that is in this repository, for example HEAD~1; fetch what is missing"
        raise _explain_refusal(spec, f"there is no revision {revision!r} in this repository", hint) from None
    commit = output.decode().strip()
    relative = path in (".", "..") or path.startswith(("./", "../"))
    top = posixpath.normpath(posixpath.join(prefix, path)) if relative else posixpath.normpath(path or ".")
    top = "" if top == "." else top
    if top.startswith(("..", "/")):
        raise _explain_refusal(spec, f"{path!r} leaves the repository", "name a path inside it")
    kind = _find_object_kind(spec, commit, top)
    if not kind:
        raise _explain_missing_path(spec, commit, revision, path, prefix)
    return GitTree(spec, commit, top, kind == "tree")


def _split_spec(spec: str) -> tuple[str, str]:
    """Return (revision, path) of `git:REV:path`.

    Raises InputError for text of another form, and for a revision that git could take for an option.
    """
    match = _SPEC.fullmatch(spec)
    hint = "write it like git:HEAD:blueprints/pod.yaml, or git:main:./pod.yaml from the current folder"
    if not match or not match[1] or "\0" in spec:
        raise _explain_refusal(spec, f"'{spec}' is not git:REV:path", hint)
    if match[1].startswith("-"):
        raise _explain_refusal(spec, f"{match[1]!r} is no revision: it begins with a dash", hint)
    return match[1], match[2]


def _find_object_kind(spec: str, commit: str, path: str) -> str:
    """Return `blob`, `tree` or "" (nothing) for a path from the top; raises InputError for a link or a submodule."""
    if not path:
        return "tree"
    entry = _run_git(spec, "ls-tree", "-z", "--full-tree", commit, "--", path)
    mode, kind = entry.split(b" ", 2)[:2] if entry else (b"", b"")
    if mode in (b"120000", b"160000"):
        kind_name = "a symbolic link" if mode == b"120000" else "a submodule"
        raise _explain_refusal(
            spec, f"'{path}' is {kind_name} in that revision", "name a file or folder that git keeps there itself"
        )
    return kind.decode()


def _explain_missing_path(spec: str, commit: str, revision: str, path: str, prefix: str) -> InputError:
    """Make the error for a path that a revision lacks, with a suggestion."""
    from_top = posixpath.normpath(posixpath.join(prefix, path))
    hint = ""
    if prefix and not path.startswith(".") and _find_object_kind(spec, commit, from_top):
        hint = f"paths are from the top of the repository; did you mean git:{revision}:./{path}?"
    else:
        listed = _run_git(spec, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split(b"\0")
        names = [os.fsdecode(name) for name in listed if name.endswith((b".yaml", b".yml"))]
        hint = did_you_mean(from_top, names) or "there is no blueprint in that revision"
    return _explain_refusal(spec, f"there is no '{path}' in revision {revision}", hint)


def _run_git(spec: str, *arguments: str, stdin: bytes = b"") -> bytes:
    """Return the output of a git command; raises InputError if git is missing or fails."""
    git = shutil.which("git")
    if git is None:
        raise _explain_refusal(spec, "git is not installed", "install git, or compare with a file or a built folder")
    settings = [word for setting in _CONFIG for word in ("-c", setting)]
    try:
        done = subprocess.run(  # noqa: S603 - no shell; revisions and paths stand behind --end-of-options and --
            [git, *settings, *arguments], input=stdin, capture_output=True, check=False, env=os.environ | _ENVIRONMENT
        )
    except (OSError, ValueError) as error:
        raise _explain_refusal(spec, f"git cannot be run: {error}") from error
    if done.returncode:
        messages = done.stderr.decode(errors="replace").strip().splitlines()
        hint = "run it inside the repository that has the blueprint, or clone that"
        raise _explain_refusal(spec, f"git says: {messages[0] if messages else 'nothing'}", hint)
    return done.stdout


def _explain_refusal(spec: str, message: str, hint: str = "") -> InputError:
    return fault(_CODE, message, hint=hint, span=Span(spec, 1, 1))
