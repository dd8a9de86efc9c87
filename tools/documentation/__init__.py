"""The documentation site: its reference, its examples, and their checks. `make docs` builds it."""
