"""The class Tensor, and a function that pickles of tensors name, at the place where PyTorch has them.
"""
from torch_np._C import Tensor as Tensor
from torch_np.serialization._rebuild import _rebuild_from_type_v2 as _rebuild_from_type_v2
