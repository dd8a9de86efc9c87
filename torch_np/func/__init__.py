"""torch_np.func: derivatives of functions, and functions of one sample applied to a batch."""
from torch_np._absent import absent_names
from torch_np.func import _derivatives, _forward, _rearrange, _vmap
from torch_np.func._derivatives import *  # noqa: F403
from torch_np.func._forward import *  # noqa: F403
from torch_np.func._rearrange import *  # noqa: F403
from torch_np.func._vmap import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    *_derivatives.__all__, *_forward.__all__, *_rearrange.__all__, *_vmap.__all__,
    *absent_names(globals(), "transforms of functions are not implemented; call the function itself", functions="debug_unwrap functionalize")]
