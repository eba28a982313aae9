"""What sets up a host read back: netplan files, and the commands for its NICs."""
