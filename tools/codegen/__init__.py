"""From native_functions.yaml to C++, Python stubs and the operator list. See docs/native_functions.md."""
