"""The presence of this file puts the tests' own modules, as explain.strategies, on the path."""
