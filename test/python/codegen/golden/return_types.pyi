# Generated from native_functions.yaml.
from typing import NamedTuple

from torch_np._C import Tensor

class nn_functional_normalized(NamedTuple):
    values: Tensor
    norm: Tensor

