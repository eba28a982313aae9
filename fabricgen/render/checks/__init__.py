"""What must hold of a rendered configuration, checked without the device."""
