"""Packages written for PyTorch, run by the launcher: one small program (jobs/) for each, whose
numbers are compared with those that real PyTorch gives (golden/).

`make test-packages` runs all of them. With the names of jobs as arguments, `python -m packages`
runs these. `--golden` rewrites the golden values; it needs an interpreter with PyTorch, and the
packages in PYTHONPATH."""
