"""PyTorch's words for shapes that do not fit: programs and tests match them."""
import numpy
import pytest

import torch_np as torch
import torch_np.numpy as np

X = torch.ones(2, 3)


@pytest.mark.parametrize("call, error, message", [
    (lambda: X.expand(2), RuntimeError, r"number of sizes provided \(1\) must be greater or equal to the number of dimensions in the tensor \(2\)"),
    (lambda: X.expand(-1, 2, 3), RuntimeError, r"expanded size of the tensor \(-1\) isn't allowed in a leading, non-existing dimension 0"),
    (lambda: X.expand(2, 4), RuntimeError,
     r"expanded size of the tensor \(4\) must match the existing size \(3\) at non-singleton dimension 1.  Target sizes: \[2, 4\].  Tensor sizes: \[2, 3\]"),
    (lambda: X + torch.ones(4, 1, 2), RuntimeError, r"size of tensor a \(3\) must match the size of tensor b \(2\) at non-singleton dimension 2"),
    (lambda: torch.broadcast_tensors(X, torch.ones(4)), RuntimeError, r"size of tensor a \(3\) must match the size of tensor b \(4\)"),
    (lambda: X.sum(4), IndexError, r"sum\(\): dim: Dimension out of range \(expected to be in range of \[-2, 1\], but got 4\)"),
    (lambda: torch.tensor(1.0).sum(1), IndexError, r"expected to be in range of \[-1, 0\], but got 1\)"),
    (lambda: X.sum((0, 0)), RuntimeError, "dim 0 appears multiple times in the list of dims"),
    (lambda: X.view(5), RuntimeError, r"shape '\[5\]' is invalid for input of size 6"),
    (lambda: X.reshape(-1, -1), RuntimeError, "only one dimension can be inferred"),
    (lambda: X.view(-2, 3), RuntimeError, "invalid shape dimension -2 at index 0"),
    (lambda: X.t().view(6), RuntimeError, "view size is not compatible with input tensor's size and stride"),
    (lambda: torch.ones(0, 3).view(-1, 0), RuntimeError, r"tensor of 0 elements into shape \[-1, 0\] because the unspecified dimension size -1"),
    (lambda: X.narrow(0, 0, 5), RuntimeError, r"start \(0\) \+ length \(5\) exceeds dimension size \(2\)"),
    (lambda: X.chunk(0), RuntimeError, "chunk expects `chunks` to be greater than 0, got: 0"),
    (lambda: X.split(0), RuntimeError, "can only be 0 if dimension size is 0, but got dimension size of 2"),
    (lambda: X.split(-1), RuntimeError, "non-negative"),
    (lambda: X.split([1, 2]), RuntimeError, r"sum exactly to 2 \(input tensor's size at dimension 0\), but got split_sizes=\[1, 2\]"),
    (lambda: X.split([1, -1]), RuntimeError, "only non-negative entries"),
    (lambda: X.split([2, 0, 1]), RuntimeError, r"sum exactly to 2"),
    (lambda: torch.cat([X, torch.ones(3, 4)]), RuntimeError, "match except in dimension 0. Expected size 3 but got size 4 for tensor number 1"),
    (lambda: torch.cat([X, torch.ones(3)]), RuntimeError, "same number of dimensions: got 2 and 1"),
    (lambda: torch.cat([]), ValueError, "expected a non-empty list of Tensors"),
    (lambda: torch.stack([X, torch.ones(3, 4)]), RuntimeError, r"expects each tensor to be equal size, but got \[2, 3\] at entry 0 and \[3, 4\] at entry 1"),
    (lambda: X @ X, RuntimeError, r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"),
    (lambda: torch.addmm(X, X, X), RuntimeError, r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"),
    (lambda: X.mv(torch.ones(2)), RuntimeError, r"size mismatch, got input \(2\), mat \(2x3\), vec \(2\)"),
    (lambda: torch.dot(torch.ones(2), torch.ones(3)), RuntimeError, r"expected tensor \[2\] and src \[3\] to have the same number of elements"),
    (lambda: torch.ones(2).H, RuntimeError, r"only supported on matrices \(2-D tensors\). Got 1-D tensor."),
    (lambda: torch.ones(2, 3, 4).H, RuntimeError, "consider using tensor.mH"),
    (lambda: torch.ones(2).mT, RuntimeError, "only supported on matrices or batches of matrices. Got 1-D"),
    (lambda: torch.ones(2).adjoint(), RuntimeError, "only supported on matrices or batches of matrices. Got 1-D"),
    (lambda: torch.tensor(1.0).view(torch.float64), RuntimeError, r"self.dim\(\) cannot be 0"),
    (lambda: X.t().view(torch.float64), RuntimeError, r"self.stride\(-1\) must be 1"),
    (lambda: X.view(torch.float64), RuntimeError, r"self.size\(-1\) must be divisible by 2"),
    (lambda: X.masked_select(torch.ones(3, dtype=torch.uint8)), RuntimeError, "expected BoolTensor for mask"),
    (lambda: X.masked_fill(torch.ones(3, dtype=torch.uint8), 1), RuntimeError, "only supports boolean masks"),
    (lambda: X.masked_scatter(torch.ones(3, dtype=torch.uint8), X), RuntimeError, "only supports boolean masks"),
    (lambda: torch.fft.fft(torch.ones(2), 0), RuntimeError, r"Invalid number of data points \(0\) specified"),
    (lambda: torch.fft.fft(torch.ones(2, dtype=torch.float16)), RuntimeError, "Unsupported dtype"),
    (lambda: torch.fft.fftn(X, dim=(0, 0)), RuntimeError, "dims must be unique"),
    (lambda: torch.fft.fftn(X, (2,), (0, 1)), RuntimeError, "dim and shape arguments must have the same length"),
    (lambda: torch.fft.fftn(X, (2, 2, 2)), RuntimeError, "Got shape with 3 values but input tensor only has 2 dimensions"),
    (lambda: torch.linalg.eig(torch.ones(2)), RuntimeError, "must have at least 2 dimensions"),
    (lambda: torch.linalg.inv(X), RuntimeError, "A must be batches of square matrices, but they are 2 by 3 matrices"),
    (lambda: torch.linalg.cond(X, 1), RuntimeError, "A must be batches of square matrices"),
    (lambda: torch.inner(X, torch.ones(2, 2)), RuntimeError, r"last dimension must match on both input tensors but got shapes \[2, 3\] and \[2, 2\]"),
    (lambda: torch.dot(torch.ones(2), torch.ones(2, dtype=torch.float64)), RuntimeError, "to have same dtype, but found"),
    (lambda: torch.chain_matmul(), RuntimeError, "Expected one or more matrices"),
    (lambda: torch.qr(X), RuntimeError, "now removed; use torch_np.linalg.qr"),
    (lambda: torch.hsplit(torch.tensor(1.0), 2), RuntimeError, "torch.hsplit requires a tensor with at least 1 dimension, but got"),
    (lambda: torch.vstack(X), TypeError, "must be tuple of Tensors, not Tensor"),
])
def test_messages_are_pytorchs(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_messages_of_the_other_face_are_numpys():
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(2,3\) \(4,\)|shapes \(2, 3\) \(4,\)"):
        np.ones((2, 3)) + np.ones(4)
    with pytest.raises(ValueError, match=r"cannot reshape array of size 6 into shape \(5,\)"):
        np.ones((2, 3)).reshape(5)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        np.ones((2, 3)) @ np.ones((2, 3))
    with pytest.raises(np.exceptions.AxisError, match="axis 4 is out of bounds for array of dimension 2"):
        np.ones((2, 3)).sum(4)


def test_transforms_along_no_axes_give_complex_numbers():
    for transform in (torch.fft.fftn, torch.fft.ifftn, torch.fft.fft2, torch.fft.ifft2):
        assert transform(X, dim=[]).dtype == torch.complex64 and transform(X, dim=[]).real.tolist() == X.tolist()
        assert transform(X + 1j, dim=[]).tolist() == (X + 1j).tolist()


def test_transposes_of_numbers_are_numbers():
    z = torch.tensor(1 + 2j)
    assert z.mT.item() == 1 + 2j and z.H.item() == z.mH.item() == z.adjoint().item() == 1 - 2j


def test_parts_of_complex_numbers_can_be_assigned():
    z = torch.zeros(2, dtype=torch.complex64)
    z.imag = torch.tensor([1.0, 2.0])
    z.real = 5
    assert z.tolist() == [5 + 1j, 5 + 2j]
    x = torch.ones(2)
    x.real = torch.tensor([3, 4])
    assert x.tolist() == [3, 4]
    with pytest.raises(TypeError):
        x.imag = 1
    with pytest.raises(RuntimeError):
        z.imag = torch.ones(3)


@pytest.mark.parametrize("make", [torch.zeros, torch.empty])
def test_zeros_take_sparse_layouts(make):
    assert make(2, layout=torch.sparse_coo)._nnz() == 0 and make((2, 3), layout=torch.sparse_csr).layout is torch.sparse_csr
    assert make(2, layout=torch.strided).shape == make(2, layout=None, pin_memory=False).shape == (2,)
    with pytest.raises(NotImplementedError, match="pin_memory"):
        make(2, pin_memory=True)


@pytest.mark.parametrize("make", [
    lambda **options: torch.full((2,), 1.0, **options),
    lambda **options: torch.arange(2.0, **options), lambda **options: torch.rand(2, **options), lambda **options: torch.randint(3, (2,), **options),
    lambda **options: torch.ones_like(X, **options), lambda **options: torch.eye(2, **options), lambda **options: torch.linspace(0, 1, 2, **options),
])
def test_makers_take_the_default_layout(make):
    assert make(layout=torch.strided).shape == make(layout=None).shape == make(pin_memory=False).shape
    with pytest.raises(NotImplementedError, match="not implemented for sparse layouts"):
        make(layout=torch.sparse_coo)
    with pytest.raises((NotImplementedError, TypeError), match="pin_memory' is supported with its default only"):
        make(pin_memory=True)
    with pytest.raises(TypeError, match="layouts"):
        make(layouts=torch.strided)


def test_other_functions_have_no_layout():
    with pytest.raises(TypeError, match="layout"):
        torch.sum(X, layout=torch.strided)


@pytest.mark.parametrize("call", [
    lambda np, x: np.swapaxes(x, 0, 5), lambda np, x: np.swapaxes(x, -5, 0), lambda np, x: np.moveaxis(x, 5, 0), lambda np, x: np.moveaxis(x, 0, 5),
    lambda np, x: np.diagonal(x, 0, 0, 5), lambda np, x: np.trace(x, 0, 5, 0), lambda np, x: np.transpose(x, (0, 5)), lambda np, x: np.flip(x, (0, 5)),
    lambda np, x: np.sum(x, 5), lambda np, x: np.sum(x, (0, 5)), lambda np, x: np.expand_dims(x, 5), lambda np, x: np.squeeze(x, 5),
    lambda np, x: np.roll(x, 1, 5), lambda np, x: np.rollaxis(x, 5), lambda np, x: np.concatenate([x], axis=5), lambda np, x: np.stack([x], axis=5),
    lambda np, x: np.take(x, 0, 5), lambda np, x: np.sort(x, 5), lambda np, x: np.cumsum(x, 5),
    lambda np, x: np.argmax(x, 5), lambda np, x: np.repeat(x, 2, 5), lambda np, x: np.delete(x, 0, 5), lambda np, x: np.diff(x, axis=5),
    lambda np, x: np.linalg.norm(x, axis=5), lambda np, x: np.median(x, 5),
    lambda np, x: np.apply_along_axis(sum, 5, x), lambda np, x: np.apply_over_axes(np.sum, x, 5),
    lambda np, x: np.unique(x, axis=5), lambda np, x: np.packbits(x > 0, 5), lambda np, x: np.array(1.0).swapaxes(0, 0),
    lambda np, x: np.cov(x).sum(5), lambda np, x: np.insert(x, 0, 0, 5), lambda np, x: np.append(x, x, 5), lambda np, x: np.gradient(x, axis=5),
    lambda np, x: np.ptp(x, 5), lambda np, x: np.quantile(x, 0.5, 5), lambda np, x: np.add.reduce(x, 5), lambda np, x: np.add.accumulate(x, 5),
    lambda np, x: np.vecdot(x, x, axis=5), lambda np, x: np.take_along_axis(x, np.zeros((2, 3), int), 5),
])
def test_wrong_axes_are_named_in_numpys_words(call):
    with pytest.raises(Exception) as theirs:
        call(numpy, numpy.ones((2, 3)))
    with pytest.raises(type(theirs.value)) as ours:
        call(np, np.ones((2, 3)))
    assert str(theirs.value) in str(ours.value)
