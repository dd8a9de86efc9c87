"""Lines that users of torch_np write. They run (test_typing.py), and mypy finds each of the stated types."""
from typing import Any, assert_type

import numpy

import torch_np
import torch_np.nn.functional as F
from torch_np import Tensor, nn, no_grad

# Creation.
a = torch_np.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
assert_type(a, Tensor)
assert_type(torch_np.tensor(3), Tensor)
assert_type(torch_np.zeros(2, 3), Tensor)
assert_type(torch_np.zeros((2, 3), dtype=torch_np.float64), Tensor)
assert_type(torch_np.ones(4, dtype=torch_np.int64, device="cpu"), Tensor)
assert_type(torch_np.full((2,), 3.5), Tensor)
assert_type(torch_np.arange(0, 10, 2), Tensor)
assert_type(torch_np.linspace(0, 1, 5), Tensor)
assert_type(torch_np.eye(3), Tensor)
assert_type(torch_np.zeros_like(a), Tensor)
assert_type(torch_np.from_numpy(numpy.arange(3)), Tensor)
assert_type(torch_np.as_tensor([1, 2]), Tensor)
torch_np.manual_seed(0)
assert_type(torch_np.randn(2, 3), Tensor)
assert_type(torch_np.rand(2), Tensor)
assert_type(torch_np.randint(0, 10, (3,)), Tensor)
assert_type(torch_np.randperm(5), Tensor)

# Attributes of tensors.
assert_type(a.shape, torch_np.Size)
assert_type(a.size(), torch_np.Size)
assert_type(a.size(0), int)
assert_type(a.shape[0], int)
assert_type(a.dim(), int)
assert_type(a.numel(), int)
assert_type(a.dtype, torch_np.dtype)
assert_type(a.dtype.is_floating_point, bool)
assert_type(a.dtype == torch_np.float32, bool)
assert_type(a.device, torch_np.device)
assert_type(a.device.type, str)
assert_type(a.is_contiguous(), bool)
assert_type(a.stride(), tuple[int, ...])
assert_type(a.requires_grad, bool)
assert_type(a.is_leaf, bool)
assert_type(a.detach().numpy(), numpy.ndarray[Any, Any])
assert_type(a.sum().item(), Any)
assert_type(torch_np.is_tensor(a), bool)

# Operators between tensors and numbers.
assert_type(a + a, Tensor)
assert_type(2 * a - 1.5, Tensor)
assert_type(1 / a, Tensor)
assert_type(a @ a.T, Tensor)
assert_type(a ** 2, Tensor)
assert_type(-a, Tensor)
assert_type(a > 1, Tensor)
assert_type(a == a, Tensor)
assert_type((a > 1) & (a < 3), Tensor)
assert_type(a + a._np_compat(), Tensor)

# Indexing.
assert_type(a[0], Tensor)
assert_type(a[0, 1], Tensor)
assert_type(a[:, None], Tensor)
assert_type(a[a > 2], Tensor)
assert_type(a[torch_np.tensor([0, 1])], Tensor)
b = a.detach().clone()
b[0, :] = 5
b[b > 4] = 0
b += 1
for row in b:
    assert_type(row, Tensor)
assert_type(torch_np.where(b > 1, b, 0.0), Tensor)
assert_type(torch_np.gather(b, 1, torch_np.zeros(2, 1, dtype=torch_np.int64)), Tensor)
assert_type(b.masked_fill(b > 1, 0), Tensor)
assert_type(b.index_select(0, torch_np.tensor([1])), Tensor)

# Reductions.
assert_type(a.sum(), Tensor)
assert_type(a.sum(dim=0), Tensor)
assert_type(torch_np.sum(a, dim=(0, 1), keepdim=True), Tensor)
assert_type(a.mean(-1), Tensor)
assert_type(a.max(), Tensor)
values, indices = a.max(dim=1)
assert_type(values, Tensor)
assert_type(a.max(dim=1).indices, Tensor)
assert_type(torch_np.sort(a, dim=0).values, Tensor)
assert_type(a.argmax(dim=1), Tensor)
assert_type(a.std(), Tensor)
assert_type(torch_np.cumsum(a, dim=0), Tensor)

# Pointwise functions and methods.
assert_type(torch_np.exp(a), Tensor)
assert_type(a.exp().log(), Tensor)
assert_type(torch_np.add(b, b, alpha=2), Tensor)
assert_type(torch_np.clamp(a, 0, 1), Tensor)
assert_type(b.add_(1).mul_(2), Tensor)
assert_type(b.zero_(), Tensor)
assert_type(torch_np.maximum(a, b, out=torch_np.empty(2, 2)) if not a.requires_grad else a, Tensor)

# Shapes and dtypes.
assert_type(a.reshape(-1), Tensor)
assert_type(a.reshape(4, 1), Tensor)
assert_type(a.view(4), Tensor)
assert_type(a.permute(1, 0), Tensor)
assert_type(a.transpose(0, 1), Tensor)
assert_type(a.t(), Tensor)
assert_type(a.unsqueeze(0).squeeze(), Tensor)
assert_type(a.flatten(), Tensor)
assert_type(a.expand(3, 2, 2), Tensor)
assert_type(torch_np.cat([a, a], dim=1), Tensor)
assert_type(torch_np.stack((a, a)), Tensor)
assert_type(torch_np.split(a, 1), tuple[Tensor, ...])
assert_type(a.chunk(2), tuple[Tensor, ...])
assert_type(a.float(), Tensor)
assert_type(a.to(torch_np.float64), Tensor)
assert_type(a.to("cpu"), Tensor)
assert_type(a.double().cpu(), Tensor)
assert_type(torch_np.einsum("ij,jk->ik", a, a), Tensor)
assert_type(torch_np.tensordot(a, a, dims=1), Tensor)

# Linear algebra, transforms.
spd = torch_np.eye(2) * 3
assert_type(torch_np.linalg.solve(spd, torch_np.ones(2)), Tensor)
u, s, vh = torch_np.linalg.svd(spd)
assert_type(s, Tensor)
assert_type(torch_np.linalg.eigh(spd).eigenvalues, Tensor)
assert_type(torch_np.linalg.norm(spd), Tensor)
assert_type(torch_np.fft.fft(torch_np.ones(4)), Tensor)
assert_type(torch_np.fft.fftshift(torch_np.ones(4)), Tensor)

# Gradients.
loss = (a * a).sum()
loss.backward()
assert_type(a.grad, Tensor | None)
w = torch_np.ones(3).requires_grad_()
assert_type(w, Tensor)
(grad,) = torch_np.autograd.grad((w ** 2).sum(), w)
assert_type(grad, Tensor)
with torch_np.no_grad():
    w -= 0.1 * grad
with torch_np.enable_grad(), torch_np.set_grad_enabled(True):
    assert_type(torch_np.is_grad_enabled(), bool)
handle = w.register_hook(lambda g: g * 2)
handle.remove()
a.grad = None


@no_grad()
def evaluate(x: Tensor) -> float:
    return float(x.sum())


@torch_np.no_grad
def evaluate_again(x: Tensor) -> float:
    return float(x.sum())


assert_type(evaluate(a), float)
assert_type(evaluate_again(a), float)


class Exp(torch_np.autograd.Function):
    @staticmethod
    def forward(ctx: torch_np.autograd.FunctionCtx, x: Tensor) -> Tensor:
        result = x.exp()
        ctx.save_for_backward(result)
        ctx.rank = x.dim()
        return result

    @staticmethod
    def backward(ctx: torch_np.autograd.FunctionCtx, grad: Tensor) -> Tensor:
        (result,) = ctx.saved_tensors
        assert ctx.rank == grad.dim()
        return grad * result  # type: ignore[no-any-return]


Exp.apply(w).sum().backward()
assert_type(torch_np.autograd.gradcheck(lambda x: x * x, torch_np.ones(2, dtype=torch_np.float64).requires_grad_()), bool)

# Functional forms of layers.
assert_type(F.relu(a), Tensor)
assert_type(F.softmax(a, dim=1), Tensor)
assert_type(nn.functional.layer_norm(a, (2,)), Tensor)
assert_type(nn.functional.log_softmax(a, 1), Tensor)

# Shared memory.
assert_type(torch_np.zeros(2).share_memory_(), torch_np.Tensor)
assert_type(torch_np.zeros(2).is_shared(), bool)
assert_type(torch_np.multiprocessing.get_all_sharing_strategies(), set[str])
receive, send = torch_np.multiprocessing.Pipe(duplex=False)
send.send(torch_np.zeros(2))

# Settings.
assert_type(torch_np.get_default_dtype(), torch_np.dtype)
assert_type(torch_np.get_num_threads(), int)
assert_type(torch_np.cuda.is_available(), bool)
assert_type(torch_np.cpu.memory_stats(), dict[str, int])
assert_type(torch_np.device("cuda", 0).index, int | None)
assert_type(torch_np.get_float32_matmul_precision(), str)
