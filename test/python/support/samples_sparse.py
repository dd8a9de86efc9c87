"""Sample calls of the products of CSR matrices for the check of gradients."""
import torch_np
from samples import Case
from samples_activation import call
from torch_np.sparse import _kernels


def cases(*calls):
    """Cases, of real and of complex numbers, for pairs (shapes of the arrays, function of them)."""
    return lambda make: [Case([make(*s) for s in shapes], lambda *xs, f=function: call(make, f, *xs)) for shapes, function in calls]


def pattern(index_dtype=torch_np.int64):
    """Pointers and columns of a 3 x 5 matrix of four elements, two of them in one place."""
    return torch_np.tensor([0, 3, 3, 4], dtype=index_dtype), torch_np.tensor([4, 0, 4, 2], dtype=index_dtype)


SAMPLES = {
    "_csr_matmul": cases((((4,), (5, 2)), lambda v, x: _kernels.csr_matmul(*pattern(), v, x)),
                         (((4,), (5, 1)), lambda v, x: _kernels.csr_matmul(*pattern(torch_np.int32), v, x))),
    "_csr_matmul_transposed": cases((((4,), (3, 2)), lambda v, x: _kernels.csr_matmul_transposed(*pattern(), v, x, 5))),
    "_csr_sampled_matmul": cases((((3, 2), (5, 2)), lambda a, b: _kernels.csr_sampled_matmul(*pattern(), a, b))),
}
