"""SONiC: `device.read` reads the files of a switch."""
