"""A lab of a build on this machine: a network namespace a device, a veth pair a link, FRR on every switch."""
