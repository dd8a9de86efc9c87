"""torch_np.nn.functional: the operators of network layers, under PyTorch's names."""
from torch_np._C._torch import log_softmax as log_softmax, relu as relu, sigmoid as sigmoid, softmax as softmax
from torch_np._C._torch_nn_functional import *  # noqa: F401,F403
