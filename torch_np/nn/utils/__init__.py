"""torch_np.nn.utils: gradient clipping, parameters as one vector, weight and spectral
normalisation, parametrisations, pruning, and sequences of different lengths (rnn).
"""
from typing import TYPE_CHECKING as _TYPE_CHECKING

from torch_np._deferred import deferred as _deferred
from torch_np.nn.utils import rnn as rnn
from torch_np.nn.utils.clip_grad import (
    clip_grad_norm as clip_grad_norm, clip_grad_norm_ as clip_grad_norm_, clip_grad_value_ as clip_grad_value_,
    clip_grads_with_norm_ as clip_grads_with_norm_, get_total_norm as get_total_norm,
)
from torch_np.nn.utils.convert_parameters import (
    parameters_to_vector as parameters_to_vector, vector_to_parameters as vector_to_parameters,
)
from torch_np.nn.utils.fusion import (
    fuse_conv_bn_eval as fuse_conv_bn_eval, fuse_conv_bn_weights as fuse_conv_bn_weights, fuse_linear_bn_eval as fuse_linear_bn_eval,
    fuse_linear_bn_weights as fuse_linear_bn_weights,
)
from torch_np.nn.utils.init import skip_init as skip_init
from torch_np.nn.utils.memory_format import (
    convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format,
    convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format,
)
from torch_np.nn.utils.spectral_norm import remove_spectral_norm as remove_spectral_norm, spectral_norm as spectral_norm
from torch_np.nn.utils.weight_norm import remove_weight_norm as remove_weight_norm, weight_norm as weight_norm

if _TYPE_CHECKING:
    from torch_np.nn.utils import parametrizations as parametrizations, parametrize as parametrize, prune as prune, stateless as stateless
else:
    _named_member_accessor, parametrizations, parametrize, prune, stateless = (
        _deferred(f"torch_np.nn.utils.{_name}") for _name in ("_named_member_accessor", "parametrizations", "parametrize", "prune", "stateless"))
