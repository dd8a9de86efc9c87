"""Convolutions, transposed convolutions, and those that find their input channels in the first call.
"""
from torch_np.nn.modules._convolution import (
    Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, _ConvNd as _ConvNd, _ConvTransposeNd as _ConvTransposeNd,
)
from torch_np.nn.modules._lazy_convolution import LazyConv1d, LazyConv2d, LazyConv3d, LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d
# Names that layers of packages import from here.
from torch_np._C import Tensor as Tensor
from torch_np.nn import functional as F  # noqa: F401
from torch_np.nn.common_types import _size_1_t as _size_1_t, _size_2_t as _size_2_t, _size_3_t as _size_3_t
from torch_np.nn.modules.lazy import LazyModuleMixin as LazyModuleMixin
from torch_np.nn.modules.module import Module as Module
from torch_np.nn.modules.utils import _pair as _pair, _reverse_repeat_tuple as _reverse_repeat_tuple, _single as _single, _triple as _triple
from torch_np.nn.parameter import Parameter as Parameter, UninitializedParameter as UninitializedParameter

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d", "LazyConv3d",
           "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d"]

# Pickles name this module, which programs import from, instead of the private files.
for _name in (*__all__, "_ConvNd", "_ConvTransposeNd"):
    globals()[_name].__module__ = __name__
