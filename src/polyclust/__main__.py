"""``python -m polyclust`` is the command ``polyclust``."""

from polyclust.cli import main

if __name__ == "__main__":
    main()
