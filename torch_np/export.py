"""torch_np.export: PyTorch's exported programs, by name. They are not implemented."""
from __future__ import annotations

from torch_np._absent import absent_names

_REASON = ("exported programs are not implemented; torch_np.fx.symbolic_trace records a graph, torch_np.compile makes calls faster, and "
           "torch_np.save keeps parameters")

__all__ = absent_names(
    globals(), _REASON,
    functions="default_decompositions dims draft_export export load register_dataclass save unflatten",
    classes="""AdditionalInputs Constraint CustomDecompTable Dim ExportBackwardSignature ExportGraphSignature ExportedProgram FlatArgsAdapter
        ModuleCallEntry ModuleCallSignature ShapesCollection UnflattenedModule""")
