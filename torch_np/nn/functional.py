"""torch_np.nn.functional: the operators of network layers, under PyTorch's names."""
from torch_np._C import _torch, _torch_nn_functional

globals().update({name: function for name, function in vars(_torch_nn_functional).items() if not name.startswith("_")})
relu, sigmoid, softmax, log_softmax = _torch.relu, _torch.sigmoid, _torch.softmax, _torch.log_softmax
