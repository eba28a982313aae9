"""The tables of config_db.json that fabricgen writes, one module a subject."""
