"""What commands are asked for and cannot do, a module for each command or group of them."""
