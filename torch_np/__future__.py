"""torch_np.__future__: settings of the conversion of modules by `module.to()`."""
from __future__ import annotations

__all__ = ["get_overwrite_module_params_on_conversion", "get_swap_module_params_on_conversion",
           "set_overwrite_module_params_on_conversion", "set_swap_module_params_on_conversion"]


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Accepts False: conversions keep the Parameter objects and change their data.

    Args:
      value: Whether conversions assign new Parameters.

    Errors: NotImplementedError for True.
    """
    if value:
        raise NotImplementedError("set_overwrite_module_params_on_conversion(): new Parameters are not implemented; conversions change their data")


def get_overwrite_module_params_on_conversion() -> bool:
    """Returns False: conversions keep the Parameter objects."""
    return False


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Accepts False: conversions change the data of Parameters.

    Args:
      value: Whether conversions swap tensors.

    Errors: NotImplementedError for True.
    """
    if value:
        raise NotImplementedError("set_swap_module_params_on_conversion(): swaps of tensors are not implemented; conversions change their data")


def get_swap_module_params_on_conversion() -> bool:
    """Returns False: conversions change the data of Parameters."""
    return False
