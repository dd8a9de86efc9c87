"""torch_np.backends: settings of the libraries that run computations."""
from torch_np.backends import cpu, cuda, cudnn, mkl, mkldnn, mps, nnpack, openmp, opt_einsum

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum"]

# Precision of float32 products, by PyTorch's name. It has no effect: backends.cuda.matmul.allow_tf32 decides.
fp32_precision = "none"
