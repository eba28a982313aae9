"""A lab on disk: a folder with its build, the sockets of its daemons, and the namespaces that are its own.

The default is `/run/fabricgen/NAME`: short, root's, and gone with the next start of the machine, as namespaces are.
"""

from __future__ import annotations

import contextlib
import csv
import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.text_input import read_bytes
from fabricgen.lab.fabric import Lab
from fabricgen.lab.files import Build
from fabricgen.lab.inside import Inside
from fabricgen.lab.stop import NAMESPACES, find_daemons, take_down
from fabricgen.publish.files import open_new_file, replace_file, write_all

CODE = "FG173"
"""The code of a lab that is there already, or that is not there."""

LABS = Path("/run/fabricgen")
"""The folder of labs unless `--state` names another."""

FILE, BUILD, SOCKETS = "lab.json", "build", "frr"
TEMPORARY = ".fabricgen-"
"""The beginning of the names of files that were being written when a process was killed (publish.replacing)."""

LONGEST_PATH, LONGEST_FILE = 107, len("/zserv.api")
"""Characters of the path of a socket (unix(7): 108 with the zero at the end), and of a daemon's own name in it."""

NAME = re.compile(r"\w[\w.-]*")
"""Names of labs and devices: of one word, as `ip -batch` reads them, and of one file, as `ip netns` keeps them."""

_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, RecursionError, csv.Error)
"""Exceptions that reading what is damaged may raise."""

WAIT_S = 20
"""Seconds for which a command that changes a lab waits for another one."""


@dataclass(frozen=True, slots=True)
class LabState:
    """What the folder of a lab says; a lab that is not `up` was interrupted while it came up.

    `spaces` has the namespace of each device, `left_out` a sentence on each kind of thing that the lab does not have.
    """

    folder: Path
    spaces: Mapping[str, str]
    left_out: tuple[str, ...]
    up: bool = False

    @property
    def name(self) -> str:
        """The name of the lab: that of its folder, and the beginning of its namespaces' names."""
        return self.folder.name

    @property
    def sockets(self) -> Path:
        """The folder with the sockets of each switch's daemons."""
        return self.folder / SOCKETS

    def save(self, *, up: bool) -> None:
        """Write what is known of the lab, whole or not at all."""
        content = {"fabricgen": "lab", "up": up, "namespaces": dict(self.spaces), "left_out": self.left_out}
        replace_file(self.folder / FILE, (json.dumps(content, indent=2) + "\n").encode())

    def write(self, build: Build) -> None:
        """Write the lab as one that is about to come up, with the build that it is made of; raises OSError."""
        self.save(up=False)
        for path, text in build.files.items():
            file = self.folder / BUILD / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with open_new_file(str(file), 0o600) as descriptor:  # a built folder may have secrets
                write_all(descriptor, text.encode())

    def open_lab(self) -> Lab:
        """Return the lab with its build; raises InputError (FG173) for a build that is not as `lab up` wrote it."""
        build, files = self.folder / BUILD, dict[str, str]()
        try:
            for file in sorted(path for path in build.rglob("*") if path.is_file()):
                files[file.relative_to(build).as_posix()] = file.read_text(encoding="utf-8")
            files_of_build = Build(files)
            # ^ gives the names that only one of the two has
            lost = sorted({*files_of_build.devices} ^ set(self.spaces))
        except (OSError, *_DAMAGE) as error:
            raise self._explain_damage(f"{type(error).__name__} in {build}") from None
        if lost:
            raise self._explain_damage(f"its build and {FILE} differ in {', '.join(lost[:4])}")
        return Lab(self.sockets, self.spaces, files_of_build)

    def _explain_damage(self, why: str) -> InputError:
        hint = f"`fabricgen lab down --state {self.folder}` takes down what runs of it"
        return fault(CODE, f"the lab {self.name} is damaged: {why}", hint=hint)


def require_empty(folder: Path) -> None:
    """Raise InputError (FG173) for a folder that cannot become that of a new lab, since it holds something."""
    if (folder / FILE).exists():
        raise fault(CODE, f"there is a lab in {folder} already", hint=f"`fabricgen lab down --state {folder}` ends it")
    if any(not file.name.startswith(TEMPORARY) for file in folder.iterdir()):
        raise fault(CODE, f"{folder} is not empty, and no lab", hint="name another folder with --state")


def new_state(folder: Path, cut: Inside) -> LabState:
    """Return a lab that is about to come up in a folder, which the caller holds; `cut` is the part of its build.

    Raises InputError (FG173) for a namespace that exists already, and for a path of a socket that would be too long.
    """
    spaces = _name_namespaces(folder.name, [*cut.build.switches, *cut.build.hosts])
    if odd := sorted(name for name in spaces.values() if not NAME.fullmatch(name)):
        message = f"a lab in {folder} would have namespaces such as '{odd[0]}'"
        raise fault(CODE, message, hint="name its folder, with --state, with letters, digits, '-', '_' and '.' alone")
    existing = [space for space in spaces.values() if (NAMESPACES / space).exists()]
    if existing:
        raise fault(
            CODE,
            f"there are namespaces of these names already: {', '.join(existing[:4])}" + ", ..." * (len(existing) > 4),
            hint="they are not this lab's, and left alone: name the lab otherwise, with `--state /run/fabricgen/OTHER`",
        )
    state = LabState(folder, spaces, cut.left_out)
    longest = max(len(os.fsencode(state.sockets / name)) for name in cut.build.switches) + LONGEST_FILE
    if longest > LONGEST_PATH:
        raise fault(
            CODE,
            f"sockets in {folder} would have paths of {longest} characters, and the most is {LONGEST_PATH}",
            hint="a shorter --state, such as /run/fabricgen/lab",
        )
    return state


def _name_namespaces(lab: str, devices: Iterable[str]) -> dict[str, str]:
    """Return the name of the namespace of each device of a lab."""
    return {device: f"{lab}-{device}" for device in devices}


def read_state(folder: Path) -> LabState:
    """Return what the folder of a lab says.

    Only namespaces that begin with the lab's own name are believed to be the lab's. Raises InputError (FG173) for a
    folder without a lab, or with one of another name.
    """
    try:
        content = json.loads(read_bytes(folder / FILE, FILE))
        spaces, left_out, up = dict(content["namespaces"]), tuple(map(str, content["left_out"])), bool(content["up"])
        is_lab = content["fabricgen"] == "lab" and all(map(NAME.fullmatch, spaces.values()))
    except (InputError, *_DAMAGE):
        is_lab = False
    if not is_lab:
        why = f": {FILE} in it is not as `lab up` writes it" if (folder / FILE).exists() else ""
        ending = f"; `fabricgen lab down --state {folder}` takes down what runs of one" if why else ""
        raise fault(CODE, f"{folder} holds no lab{why}", hint=_list_other_labs() + ending)
    if spaces != _name_namespaces(folder.name, spaces):
        message = f"{folder} holds a lab that has another name, as '{next(iter(spaces.values()))}' says"
        raise fault(CODE, message, hint="the name of the folder is that of the lab: give it back its name")
    return LabState(folder, spaces, left_out, up)


def find_state_to_end(folder: Path) -> LabState:
    """Return what is to be taken down of a lab: what its folder says, and namespaces that run though the folder lacks
    them.

    Raises InputError (FG173) for a folder without a lab, unless something of a lab in it still runs.
    """
    spaces = _name_namespaces(folder.name, sorted(_find_devices(folder)))
    running = {d: space for d, space in spaces.items() if NAME.fullmatch(space) and (NAMESPACES / space).exists()}
    try:
        state = read_state(folder)
    except InputError:
        if not running and not find_daemons(folder / SOCKETS):
            raise
        return LabState(folder, running, ())
    return replace(state, spaces={**running, **state.spaces})


def _find_devices(folder: Path) -> set[str]:
    """Return the devices of the lists and sockets in the folder of a lab, as far as these can be read."""
    devices = set[str]()
    with contextlib.suppress(OSError):
        devices.update(entry.name for entry in (folder / SOCKETS).iterdir())
    for name in ("devices.csv", "links.csv"):
        with contextlib.suppress(OSError, *_DAMAGE):
            build = Build({name: (folder / BUILD / name).read_text(encoding="utf-8")})
            devices.update(build.devices if name == "devices.csv" else (end.device for end in build.far))
    return devices


def _list_other_labs() -> str:
    labs = ", ".join(str(folder) for folder in list_labs())
    return f"labs are in {labs}; name one with --state" if labs else "`fabricgen lab up BLUEPRINT` starts one"


def list_labs() -> list[Path]:
    """Return the folders of labs below LABS, also of labs whose FILE is gone."""
    return sorted({file.parent for name in (FILE, BUILD) for file in LABS.glob(f"*/{name}")})


def choose_lab(folder: Path | None) -> Path | None:
    """Return the folder that is named, else that of the only lab; None if there is no lab.

    Raises InputError (FG173) if there are several.
    """
    labs = [folder.resolve()] if folder else list_labs()
    if len(labs) > 1:
        raise fault(CODE, f"there are {len(labs)} labs", hint=_list_other_labs())
    return labs[0] if labs else None


@contextlib.contextmanager
def hold_folder(folder: Path) -> Iterator[int]:
    """Hold the folder of a lab against other commands that change it.

    Yields a descriptor that holds it as long as it is open anywhere. Raises InputError (FG173) if another command holds
    it too long or has removed it meanwhile, and FileNotFoundError without the folder.
    """
    descriptor, deadline = os.open(folder, os.O_RDONLY | os.O_DIRECTORY), time.monotonic() + WAIT_S
    try:
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            if time.monotonic() > deadline:
                raise fault(CODE, f"another command is at work on the lab in {folder}", hint="wait for it, or end it")
            time.sleep(0.1)
        # a folder without a name was removed while we waited for it
        if not os.fstat(descriptor).st_nlink:
            raise fault(CODE, f"another command has taken {folder} away meanwhile", hint="say it again")
        yield descriptor
    finally:
        os.close(descriptor)


def remove_lab(state: LabState) -> None:
    """Take a lab down, and remove its folder but for files that others have put there.

    Raises InputError (FG175) for a process or a namespace that does not end.
    """
    take_down(state.sockets, state.spaces.values())
    for part in (state.folder / BUILD, state.sockets):
        shutil.rmtree(part, ignore_errors=True)
    for file in (*state.folder.glob(f"{TEMPORARY}*"), state.folder / FILE):
        file.unlink(missing_ok=True)
    remove_if_empty(state.folder)


def remove_if_empty(folder: Path) -> None:
    """Remove the folder of a lab if it is empty, and then LABS if that is empty."""
    for directory in (folder, LABS):
        with contextlib.suppress(OSError):  # a lab is in it, or a user's own files
            directory.rmdir()
