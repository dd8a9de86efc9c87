"""torch_np.fx.experimental: PyTorch's experiments with graphs, by name."""
from torch_np._deferred import deferred as _deferred

globals().update((_name, _deferred(f"torch_np.fx.experimental.{_name}")) for _name in ("proxy_tensor", "symbolic_shapes"))
