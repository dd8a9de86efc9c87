"""Generates C++, Python stubs and the operator list from native_functions.yaml. See
docs/native_functions.md."""
