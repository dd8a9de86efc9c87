"""torch_np.nn.utils: gradient clipping, parameters as one vector, weight and spectral
normalisation, and sequences of different lengths (rnn).
"""
from torch_np.nn.utils import rnn as rnn
from torch_np.nn.utils.clip_grad import (
    clip_grad_norm_ as clip_grad_norm_, clip_grad_value_ as clip_grad_value_, clip_grads_with_norm_ as clip_grads_with_norm_,
    get_total_norm as get_total_norm,
)
from torch_np.nn.utils.convert_parameters import (
    parameters_to_vector as parameters_to_vector, vector_to_parameters as vector_to_parameters,
)
from torch_np.nn.utils.spectral_norm import remove_spectral_norm as remove_spectral_norm, spectral_norm as spectral_norm
from torch_np.nn.utils.weight_norm import remove_weight_norm as remove_weight_norm, weight_norm as weight_norm
