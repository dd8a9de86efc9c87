"""torch_np.__future__: settings of the conversion of modules by `module.to()`."""
from __future__ import annotations

__all__ = ["get_overwrite_module_params_on_conversion", "get_swap_module_params_on_conversion",
           "set_overwrite_module_params_on_conversion", "set_swap_module_params_on_conversion"]

_overwrites = _swaps = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Sets whether conversions of modules assign new Parameters. By default they change the data of
    the existing ones.

    Args:
      value: Whether conversions assign new Parameters.
    """
    global _overwrites
    _overwrites = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions of modules assign new Parameters."""
    return _overwrites


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Sets whether conversions of modules, and `load_state_dict`, exchange each Parameter with the
    converted one by `torch_np.utils.swap_tensors`. By default they change its data.

    Args:
      value: Whether conversions exchange tensors.
    """
    global _swaps
    _swaps = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions of modules exchange each Parameter with the converted one."""
    return _swaps
