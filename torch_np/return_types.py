"""The classes of several results with names: torch_np.return_types.sort(values, indices), ..."""
from torch_np._C import _return_types

globals().update({name: value for name, value in vars(_return_types).items() if not name.startswith("__")})
