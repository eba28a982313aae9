"""Which links share a cable, how long it runs, and of which medium and part it is.

Words, from the small to the large:

- A **lane** is an electrical pair at the rate of its port; a **link** takes several, from port to port.
- A **connector** is one plug in a cage; `links_per_connector` links share it. Its number is counted within its cage
  (`plugs.find_connector`), its device (`end_numbers.number_device_connectors`) or the cluster (`number_ends`).
- A **cage** has one connector, or two if it is twin-port, and takes one transceiver.
- A **cable** hangs on one connector, at its **common end**; it has **far ends**, one if it is straight, several if it
  is a breakout. The lower end of its links is `a`, the upper `b`; either may be the common one.
- A **medium** is a `CableProfile`, or, in a column, the index of one in the `media` beside it.
- **Fixed ends** are part of their cable (`CableProfile.attached`: DAC, ACC, AEC, AOC, twisted pair); other media have
  a transceiver at each end. An `Attachment` is something else: how nodes attach to a fabric.

`cables.make_cables` goes this way:

1. number the connectors and cages that links end on (`end_numbers`);
2. group links into cables by the connector at their common end, and list the end rows of each cable;
3. measure the run of each cable over the floor (`routes`);
4. list the media that may be chosen (`design.media.policy`);
5. find which cables share cages (`assemblies`);
6. read the product lists, where a blueprint names any (`shelf`, `offers`);
7. choose the medium of each cable (`media`), again and again where cables go over panels (`wiring.patching`);
8. merge cables with fixed ends that are one assembly (`assemblies`);
9. choose the length of each cable: of the trade (`stock`), or of a product (`offers`);
10. lay trunks, panels and jumpers of patched cables (`wiring.patching`).

`end_kinds`, `far_ends` and `plugs` say of finished cables what they plug into, for the bill, lint and lists.
"""
