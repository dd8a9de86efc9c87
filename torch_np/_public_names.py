"""The public name of this package: `torch_np`, or `torch` once `torch_np.install()` has run."""
from __future__ import annotations

OURS = "torch_np"
TORCH = "torch"
public = OURS


def own(module: str) -> str:
    """Returns the name of a module of this package below `torch_np`: `torch_np.nn` for `torch.nn`
    under the launcher. Other names are returned unchanged.
    """
    top, dot, rest = module.partition(".")
    return f"{OURS}{dot}{rest}" if top == public else module


def top(module: object) -> str:
    """Returns the package of a module, by the name that it has without the launcher; '' for an
    object that is not a name.
    """
    first = module.partition(".")[0] if isinstance(module, str) else ""
    return OURS if first == public else first


def has_alias(module: str) -> bool:
    """Whether a module of this package is also found below `torch`. The NumPy face is not."""
    return module == OURS or module.startswith(f"{OURS}.") and module != f"{OURS}.numpy" and not module.startswith(f"{OURS}.numpy.")


def alias(module: str) -> str:
    """Returns the name below `torch` of a module of this package: `torch.nn` for `torch_np.nn`."""
    return TORCH + module.removeprefix(OURS)
