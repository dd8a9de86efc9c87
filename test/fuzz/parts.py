"""The parts of the fuzzer by name; a part is constructed on first use."""
from __future__ import annotations

from importlib import import_module

from fuzz.children import Part

PARTS = {"hostile": "hostile:Hostile", "numpy": "against_numpy:AgainstNumPy", "tensor": "tensor:TensorFace", "gradients": "gradients:Gradients",
         "programs": "programs:Programs", "compiled": "compiled_state:CompiledState"}


def make_part(name: str) -> Part:
    module, _, cls = PARTS[name].partition(":")
    return getattr(import_module(f"fuzz.{module}"), cls)()
