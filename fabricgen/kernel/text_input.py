"""Reading bytes from outside as text, with errors that say why it cannot be done."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path

from fabricgen.kernel.diagnostics import InputError, Span, fault, find_nearest

MAX_BYTES = 4 * 1024 * 1024
"""The largest YAML text that is read; a blueprint is a page."""

MAX_BUILT_BYTES = 2 << 30
"""The largest file of a built folder that is read: four times the longest list of a million accelerators."""

_DATA = (".yaml", ".yml", ".json", ".csv")

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# The characters that are not allowed; [^...] of those that are takes nine times as long to compile at every start.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_WHY = {
    errno.ENOENT: "no such file",
    errno.ENOTDIR: "no such file",
    errno.EISDIR: "it is a folder",
    errno.EACCES: "no permission",
    errno.ELOOP: "its symbolic links go in a circle",
    errno.ENAMETOOLONG: "its name is too long",
}


def read_bytes(file: Path, shown_as: str, at: Span | None = None, *, limit: int = MAX_BYTES) -> bytes:
    """Return the content of a file. Raises InputError (FG001) at `at`, or at the file itself, if it cannot be read.

    No more than one byte over the limit is read, so that reading a device file ends, too. A link is followed to a file
    of its own kind only: through a link to a file with a secret, a blueprint could have the secret shown in an error. A
    pipe with the name of a file is refused: nobody may ever write to it.
    """
    try:
        if file.suffix in _DATA and file.is_symlink() and Path(os.path.realpath(file)).suffix not in _DATA:
            raise OSError(errno.EMLINK, "it is a link to another kind of file")
        if file.suffix:  # those of a shell, <(gpg -d file), have none
            require_regular(file)
        with file.open("rb") as stream:
            return stream.read(limit + 1)
    except OSError as error:
        why = _WHY.get(error.errno or 0) or (error.strerror or "it cannot be read").lower()
        hint = _suggest_name(file, error.errno)
    except ValueError:  # a NUL or a lone surrogate in the name
        why, hint = "this is no file name", ""
    raise fault("FG001", f"cannot read {shown_as!r}: {why}", hint=hint, span=at or Span(shown_as, 1, 1))


def require_regular(file: Path) -> None:
    """Raise OSError for a pipe or a device, the reading of which may never end."""
    mode = file.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is no regular file", str(file))


def read_regular(file: Path, limit: int = MAX_BUILT_BYTES) -> bytes:
    """Return the content of a file. Raises OSError, also for a pipe, a device, or a file with more bytes than the
    limit.
    """
    require_regular(file)
    with file.open("rb") as stream:
        # a size that the file system states may be of a hole: nothing of that is read
        if os.fstat(stream.fileno()).st_size > limit or len(content := stream.read(limit + 1)) > limit:
            raise OSError(errno.EFBIG, f"it is larger than {limit >> 20:,} MiB", str(file))
    return content


def _suggest_name(file: Path, number: int | None) -> str:
    """Return a hint for a file that cannot be read; "" if no name is near."""
    if number == errno.EISDIR:
        return "name the YAML file in it"
    if number != errno.ENOENT:
        return ""
    try:
        names = {f.stem: f.name for f in file.parent.iterdir() if f.suffix in (".yaml", ".yml")}
    except OSError:
        return f"there is no folder '{file.parent}'"
    closest = find_nearest(file.stem, names)  # the ending alone makes any two names alike
    return f"did you mean '{file.parent / names[closest]}'?" if closest else ""


def decode_text(data: bytes | str, name: str, *, limit: int = MAX_BYTES, kind: str = "YAML") -> str:
    """Return the text without its byte-order mark.

    Raises InputError: FG001 if it is too large, binary or not UTF-8, FG002 if it has control characters.
    """
    if len(data) > limit:
        raise fault("FG001", f"cannot read '{name}': it is larger than {limit >> 20} MiB", span=Span(name, 1, 1))
    text = data if isinstance(data, str) else _decode_utf8(data, name)
    text = text.removeprefix("\ufeff")
    escape = ', or write it as an escape in double quotes, e.g. "\\u0007"' if kind == "YAML" else ""
    if bad := _UNPRINTABLE.search(text):
        where = _find_span(name, text[: bad.start()])
        if bad[0] == "\0":
            raise _refuse_binary(name, where)
        raise fault(
            "FG002",
            f"the control character U+{ord(bad[0]):04X} is not allowed in {kind}",
            hint=f"delete it{escape}",
            span=where,
        )
    return text


_UNPACKED = (".tar", ".gz", ".zst", ".zip")
_SAVED_AS_CSV = (".xlsx", ".ods", ".xls")


def _refuse_binary(name: str, where: Span) -> InputError:
    """Return the error for a binary file, with a hint if its ending says what has to be done first."""
    hint = "unpack it, and name the folder or file in it" if name.lower().endswith(_UNPACKED) else ""
    hint = "save it as CSV in UTF-8, and name that" if name.lower().endswith(_SAVED_AS_CSV) else hint
    return fault("FG001", f"cannot read '{name}': it is a binary file", hint=hint, span=where)


def _decode_utf8(data: bytes, name: str) -> str:
    """Return UTF-8 as text. Raises InputError (FG001) for UTF-16, binary files and other encodings."""
    if data.startswith(_UTF16_MARKS):
        raise _make_utf8_error(name, "it is UTF-16, not UTF-8", Span(name, 1, 1))
    if b"\0" in data:
        raise _refuse_binary(name, Span(name, 1, 1))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        where = _find_span(name, data[: error.start].decode("utf-8").removeprefix("\ufeff"))
        raise _make_utf8_error(name, f"it is not UTF-8 (byte 0x{data[error.start]:02X})", where) from None


def _make_utf8_error(name: str, why: str, span: Span) -> InputError:
    """Return the error (FG001) for a file that is not UTF-8."""
    return fault("FG001", f"cannot read '{name}': {why}", hint="save the file as UTF-8", span=span)


def _find_span(name: str, before: str) -> Span:
    """Return the span of the one character that follows the text `before`."""
    lines = re.split(r"\r\n|[\r\n]", before)
    line, column = len(lines), len(lines[-1]) + 1
    return Span(name, line, column, line, column + 1)
