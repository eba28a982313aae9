"""A hall: boxes in their places, plugs in sockets, and what each port sees of the other end of its cable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from fabricgen.addons.emulation.plan import Plan, Plug, Port, Socket


@dataclass
class Hall:
    """A hall in its current state, which starts as planned and is changed by faults and by those who mend them.

    Sockets are named by their place: the box that stands where `spine-01` is planned has the sockets of `spine-01`,
    whatever it calls itself.
    """

    plan: Plan
    at: dict[Plug, Socket] = field(default_factory=dict)
    """The socket of each plug; a plug that hangs loose is missing."""
    plugged: dict[Socket, Plug] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """The name by which the box at each place calls itself."""
    bad: set[int] = field(default_factory=set)
    """Cords that carry no light: broken, dirty, or of the wrong polarity."""
    off: set[str] = field(default_factory=set)
    """Places whose box has no power."""
    halves: dict[int, int] = field(default_factory=dict)
    """For patched cords: the cord whose far half (plug 1) the trunk joins to the near half (plug 0) of each."""

    def __post_init__(self) -> None:
        if not self.at:
            self.at = {plug: self.plan.find_home(plug) for plug in self.plan.list_plugs()}
            self.plugged = {socket: plug for plug, socket in self.at.items()}
            self.names = {device: device for device in self.plan.devices}

    def copy(self) -> Hall:
        """Return a copy of the hall that can be changed independently."""
        return replace(
            self,
            at=dict(self.at),
            plugged=dict(self.plugged),
            names=dict(self.names),
            bad=set(self.bad),
            off=set(self.off),
            halves=dict(self.halves),
        )

    def put_plugs(self, moves: dict[Plug, Socket]) -> None:
        """Pull some plugs, and then put each into its socket. Raises ValueError if a socket is taken."""
        for plug in moves:
            self.pull_plug(plug)
        for plug, socket in moves.items():
            if socket in self.plugged:
                raise ValueError(f"{socket} is taken by {self.plugged[socket]}")
            self.at[plug] = socket
            self.plugged[socket] = plug

    def pull_plug(self, plug: Plug) -> None:
        """Pull a plug, which then hangs loose."""
        socket = self.at.pop(plug, None)
        if socket is not None:
            del self.plugged[socket]

    def rotate_plugs(self, sockets: list[Socket]) -> None:
        """Move what is in each socket to the next one, and what is in the last one to the first."""
        next_sockets = zip(sockets, sockets[1:] + sockets[:1], strict=True)
        self.put_plugs(
            {self.plugged[socket]: next_socket for socket, next_socket in next_sockets if socket in self.plugged}
        )

    def exchange_boxes(self, place: str, other_place: str) -> None:
        """Rack the boxes of two places in each other's place."""
        self.names[place], self.names[other_place] = self.names[other_place], self.names[place]

    def find_place(self, name: str) -> str:
        """Return the place where the box with a name stands."""
        return next(place for place, box in self.names.items() if box == name)

    def list_lit_links(self) -> Iterator[tuple[Port, Port]]:
        """Yield the links that are up, from port to port by the names of the boxes.

        A port that fills several connectors is up if all of them lead to the same port.
        """
        connectors = Counter(
            (self.names[socket.device], port) for socket, ports in self.plan.ports.items() for _, port in ports
        )
        # sorted, because a jumper may lie the other way round than the one beside it
        for (a, b), count in Counter(tuple(sorted(ends)) for ends in self._list_joints()).items():
            if count == connectors[a] == connectors[b]:
                yield a, b

    def _list_joints(self) -> Iterator[tuple[Port, Port]]:
        """Yield (port, port) for each pair of ports that a cord with light joins; one that fills several connectors
        comes once for each.
        """
        for number, cord in enumerate(self.plan.cords):
            far_cord = self.halves.get(number, number)
            if number in self.bad or far_cord in self.bad:
                continue
            for (a, i), (b, j) in cord.lanes:
                ports = self._find_port(Plug(number, a), i), self._find_port(Plug(far_cord, b), j)
                if ports[0] and ports[1]:
                    yield ports[0], ports[1]

    def _find_port(self, plug: Plug, lane: int) -> Port | None:
        """Return the port of one fibre pair of a plug (`lane`, from 0).

        None if the plug hangs loose, the socket has no port for this pair, or its box has no power.
        """
        socket = self.at.get(plug)
        if socket is None or socket.device in self.off:
            return None
        ports = self.plan.ports[socket]
        return (self.names[socket.device], ports[lane][1]) if lane < len(ports) else None

    def list_devices(self) -> list[str]:
        """Return the names of all boxes that have power, sorted."""
        return sorted(name for place, name in self.names.items() if place not in self.off)

    def list_sightings(self) -> dict[Port, Port | None]:
        """Return for each port of the boxes with power the port it sees at the far end, or None.

        The ports are those of sockets that have a planned cable, and of sockets with a plug.
        """
        seen: dict[Port, Port | None] = {}
        sockets_to_report = {home for cord in self.plan.cords for home in cord.homes} | set(self.plugged)
        for socket in sorted(sockets_to_report):
            if socket.device not in self.off:
                # None first; the lit links below fill in whom a port sees
                seen |= {(self.names[socket.device], port): None for _, port in self.plan.ports[socket]}
        for a, b in self.list_lit_links():
            seen |= {a: b, b: a}
        return seen
