// Generated from native_functions.yaml. No loops.
