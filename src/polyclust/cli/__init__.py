"""The command line: ``polyclust fit | assign | explain | compare | demo``."""

from polyclust.cli.app import main

__all__ = ["main"]
