"""Network operating systems, one module each; modules with a leading underscore are parts of one."""
