"""Reading of files with all of Python's pickle: `load(weights_only=False)`."""
from __future__ import annotations

import io
import pickle
import pickletools
from typing import Any

from torch_np import _C
from torch_np.serialization import _safe_globals
from torch_np.serialization._globals import Loader, has_own_state, of_class
from torch_np.serialization._rebuild import _get_layout

_PARTS = frozenset((
    "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_parameter", "_rebuild_parameter_with_state", "_rebuild_meta_tensor_no_storage",
    "_rebuild_sparse_tensor"))


def unpickled(loader: Loader, pickle_module: Any, options: dict[str, Any]) -> Any:
    """The object of an archive, read by the Unpickler of a pickle module. Names of PyTorch lead to
    torch_np.
    """
    base: Any = getattr(pickle_module, "Unpickler", pickle.Unpickler)

    class Unpickler(base):
        def find_class(self, module: str, name: str) -> Any:
            if (module, name) == ("torch._tensor", "_rebuild_from_type_v2"):
                return _from_type
            if module == "torch._utils" and name in _PARTS:
                return loader.part(name)
            if (module, name) == ("torch.serialization", "_get_layout"):
                return _get_layout
            found = loader.tensor_name(module, name)
            return super().find_class(_safe_globals.our_module(module), name) if found is None else found

        def persistent_load(self, pid: Any) -> Any:
            return loader.persistent(pid)

    return Unpickler(io.BytesIO(loader.pickle()), **options).load()


def _from_type(function: Any, kind: type, args: tuple[Any, ...], state: Any) -> Any:
    """Rebuilds a tensor of a subclass, or with attributes."""
    made = function(*args)
    if type(made) is not kind and issubclass(kind, _C.Tensor):
        made = of_class(made, kind)
    if has_own_state(kind):
        made.__setstate__(state)
        return made
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    vars(made).update(attributes or {})
    for name, value in (slots or {}).items():
        setattr(made, name, value)
    return made


def globals_of(data: bytes) -> list[tuple[str, str]]:
    """The modules and names that a pickle refers to, in order, each once. Nothing is called.

    Errors: UnpicklingError for a damaged pickle.
    """
    found: dict[tuple[str, str], None] = {}
    texts: list[str] = []
    memo: dict[int, str] = {}
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name == "GLOBAL":
                module, _, name = str(argument).partition(" ")
                found[module, name] = None
            elif opcode.name == "STACK_GLOBAL":
                found[texts[-2], texts[-1]] = None
            elif opcode.name in ("MEMOIZE", "BINPUT", "LONG_BINPUT"):
                if texts:
                    memo[len(memo) if argument is None else argument] = texts[-1]
            elif opcode.name in ("BINGET", "LONG_BINGET"):
                if argument in memo:
                    texts.append(memo[argument])
            elif isinstance(argument, str):
                texts.append(argument)
    except (ValueError, IndexError) as error:
        raise pickle.UnpicklingError(f"the pickle in the file is damaged: {error}") from error
    return list(found)
