"""Schemas of the tables of config_db.json that fabricgen writes, one module for each subject."""
