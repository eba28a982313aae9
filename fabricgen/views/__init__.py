"""One switch or one fabric as other rooms need it: ports, neighbours, addresses, sessions, settings."""
