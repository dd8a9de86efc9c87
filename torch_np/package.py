"""torch_np.package: archives of models with their Python source, by name. They are not implemented."""
from __future__ import annotations

from typing import Any

from torch_np._absent import absent_names

_REASON = ("archives of models with their Python source are not implemented; save the parameters with "
           "torch_np.save(module.state_dict(), file)")


class PackagingError(Exception):
    """PyTorch's error for modules that cannot be packed."""


class EmptyMatchError(Exception):
    """PyTorch's error for a pattern that matches no module."""


class ObjNotFoundError(Exception):
    """PyTorch's error for an object that an importer does not find."""


class ObjMismatchError(Exception):
    """PyTorch's error for a name of another object."""


def is_from_package(obj: Any) -> bool:
    """Returns False: no object comes from an archive.

    Args:
      obj: Any object.
    """
    return False


__all__ = ["EmptyMatchError", "ObjMismatchError", "ObjNotFoundError", "PackagingError", "is_from_package", "sys_importer", *absent_names(
    globals(), _REASON, classes="Directory GlobGroup Importer OrderedImporter PackageExporter PackageImporter")]
sys_importer = None
