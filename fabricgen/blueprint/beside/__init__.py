"""Files that lie beside a blueprint: its lock, lists to adopt, stated GUIDs."""
