"""The documentation site: its reference, its examples, and what checks them. `make docs` builds it."""
