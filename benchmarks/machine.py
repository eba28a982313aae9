"""What measurements depend on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from fabricgen import __version__

_LIBRARIES = ("numpy", "pydantic", "jinja2", "click", "ruamel.yaml", "zstandard")


def machine(scratch: Path) -> dict[str, str]:
    """Processor, memory, system, file system and versions; no name of the machine."""
    return {
        "processors": f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()}",
        "model": _first("/proc/cpuinfo", "model name") or platform.processor() or "unknown",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "file system": _file_system(scratch.resolve()),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "fabricgen": __version__,
        "libraries": ", ".join(f"{name} {version(name)}" for name in _LIBRARIES),
    }


def load_per_processor() -> float:
    """How many processes wanted to run in the last minute, for each processor: about 1 is one benchmark alone."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def _first(file: str, key: str) -> str:
    path = Path(file)
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "")


def _memory() -> str:
    kib = _first("/proc/meminfo", "MemTotal").removesuffix("kB").strip()
    return f"{int(kib) * 1024 / 1e9:.0f} GB" if kib else "unknown"


def _file_system(folder: Path) -> str:
    """The kind of the file system that a folder is in."""
    table = Path("/proc/mounts")
    mounts = [line.split() for line in table.read_text(encoding="utf-8").splitlines()] if table.is_file() else []
    fitting = [(len(at), kind) for _, at, kind, *_ in mounts if folder.is_relative_to(at)]
    return max(fitting)[1] if fitting else "unknown"
