"""Convolutions, transposed convolutions, and those that find their input channels in the first call.
"""
from torch_np.nn.modules._convolution import (
    Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, _ConvNd as _ConvNd, _ConvTransposeNd as _ConvTransposeNd,
)
from torch_np.nn.modules._lazy_convolution import LazyConv1d, LazyConv2d, LazyConv3d, LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d", "LazyConv3d",
           "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d"]

# Pickles name this module, which programs import from, instead of the private files.
for _name in (*__all__, "_ConvNd", "_ConvTransposeNd"):
    globals()[_name].__module__ = __name__
