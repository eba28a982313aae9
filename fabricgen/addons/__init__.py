"""Add-ons: what other systems read. Each is a module with `files(view)`, an output as other packages have them.

They see a cluster through `fabricgen.api` alone. Folders hold their pieces.
"""
