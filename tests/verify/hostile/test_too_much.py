"""Small files that would fill the memory, and numbers that no program holds: a fault with a place, and soon."""

from __future__ import annotations

import gzip
import io
import resource
import tarfile
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import InputError
from tests.verify.dumps.reading import read_dumps
from tests.verify.dumps.test_lldp_of_sonic import TABLE

HEAD = b"device,port,neighbor,neighbor_port\n"
MIB = 1024 * 1024


def _packed(before: bytes, chunk: bytes, times: int) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as stream:
        stream.write(before)
        for _ in range(times):
            stream.write(chunk)
    return out.getvalue()


def _long_name(kind: bytes) -> bytes:
    member = tarfile.TarInfo("name")
    member.type, member.size = kind, 3 << 30
    return _packed(member.tobuf(tarfile.GNU_FORMAT), b"a" * MIB, 8)


def _sparse(holes: int, members: int = 8) -> bytes:
    """An archive of files of so many bytes, of which it has ten each (GNU tar's format 1.0)."""
    out, data = io.BytesIO(), b"1\n0\n10\n".ljust(512, b"\0") + b'{"a": 1}  '
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for number in range(members):
            name = f"leaf-{number}.json"
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": name}
            info.pax_headers["GNU.sparse.realsize"] = str(holes)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


FILES = {
    "holes of a file": (lambda: _sparse(500 * MIB), "it unpacks to more than 128 MiB"),
    "holes of files": (lambda: _sparse(30 * MIB), "it unpacks to more than 128 MiB"),
    "entries of a zip": (lambda: b"PK\x03\x04" + b"PK\x01\x02" * 200_001, "it has more than 200,000 files"),
    "blanks that unpack": (lambda: _packed(HEAD, b" " * MIB, 160), "it unpacks to more than"),
    "a name of a gigabyte": (lambda: _long_name(tarfile.GNUTYPE_LONGNAME), "has a name that is too long"),
    "a header of a gigabyte": (lambda: _long_name(tarfile.XHDTYPE), "has a name that is too long"),
    "ports of a device": (lambda: HEAD + b"a,b,c,d\n" * 200_001, "it has more than 200,000 ports of one device"),
    "values of JSON": (lambda: b'{"lldp": [' + b"[]," * 12_000_000, "it has more than 12,000,000 values"),
    "faults of JSON": (
        lambda: b'{"lldp": [{"interface": [' + b'{"name": "e", "chassis": 7},' * 300_000 + b"{}]}]}",
        "'chassis' is '7', not an object",
    ),
    "a number of rows": (
        lambda: TABLE.partition("Total")[0].encode() + b"Total entries displayed: " + b"9" * 5000,
        "rows stand above, not",
    ),
    "a head at the end of what is looked at": (
        lambda: b"\n" * (65536 - 41) + b"LocalPort    RemoteDevice    RemotePortIDs\n",
        "there is no row of dashes",
    ),
}


@pytest.mark.tenth
@pytest.mark.parametrize("name", FILES)
@pytest.mark.slow
def test_what_is_too_much_is_told(name: str, tmp_path: Path) -> None:
    file = tmp_path / "dump"
    make, said = FILES[name]
    file.write_bytes(make())
    before = resource.getrusage(resource.RUSAGE_SELF)
    with pytest.raises(InputError) as caught:
        read_dumps([str(file)], jobs=1)
    after = resource.getrusage(resource.RUSAGE_SELF)
    found = caught.value.diagnostics
    assert said in found[0].message
    assert all(each.code == "FG065" and each.span is not None for each in found)
    assert after.ru_utime - before.ru_utime < 5
    assert after.ru_maxrss - before.ru_maxrss < 700 * 1024
