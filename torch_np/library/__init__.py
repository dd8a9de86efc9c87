"""Operators of your own: `custom_op` makes them of Python functions. They are called as built-in ones are, of both types, with gradients,
on every device that they have a kernel for."""
from torch_np.library._custom_op import CustomOpDef as CustomOpDef, custom_op as custom_op

__all__ = ["CustomOpDef", "custom_op"]
