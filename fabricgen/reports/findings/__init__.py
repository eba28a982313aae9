"""Formats of findings, one file each: `write(judgement)` returns text; every command that judges has all of them."""
