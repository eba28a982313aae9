"""Why the hall is not as planned: the actions that explain it with the least work.

Words of this package:

- A *port* is a number, as in `PlannedCabling`; numbers from `first_spare` on are *spare* ports, which the plan does not
  use. Of a planned port, `port ^ 1` is the planned far port, `port >> 1` the link; `joined_to` has the far port as
  seen.
- A *cage* is a socket; a plug in it is known by its number or by its first port. A *spare cage* is a group of spare
  ports that hold a common plug, numbered from -1 downwards (`plugs.PlugIndex`).
- An *end* is the first port of a plug at one end of a cable; a *trunk end* is at a panel (`trunks`).
- A *ring* maps each thing that was found to the one it *stands in for*: boxes, plugs, cages or ends of trunks.
- A *chain* is a row of cables with single plugs in each other's places (`chains`).
- A port is *unseen* if nothing is known about its planned link, *silent* if it certainly sees nobody, and *odd* if it
  sees a stranger or dumps contradict each other about it.
- A link is *dark* if neither end sees anything and at least one is silent; a device is *blind* if all its cables, or
  all to a tier, are dark. A device is *gone* if it sees nobody and nobody sees it.
- An *end without cable* sees nobody although another cable is at its planned far port; its cable has to be sought.
"""

from fabricgen.verify.diagnosis.diagnosing import diagnose

__all__ = ["diagnose"]
