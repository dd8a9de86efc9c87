"""PyTorch's writes by index and mask, casts by name, Tensor.where: compared with the equivalent in
NumPy, with gradients."""
import numpy
import pytest

import torch_np as torch


def leaf(*shape):
    return torch.ones(*shape, dtype=torch.float64).requires_grad_()


def test_index_add_adds_repeated_lines():
    expected = numpy.zeros((3, 2))
    source = numpy.arange(8.0).reshape(4, 2)
    numpy.add.at(expected, [0, 2, 0, 0], 2 * source)
    x = torch.zeros(3, 2, dtype=torch.float64)
    y = x.index_add(0, torch.tensor([0, 2, 0, 0]), torch.from_numpy(source), alpha=2)
    assert y.tolist() == expected.tolist() and x.sum() == 0
    assert x.index_add_(0, torch.tensor([0, 2, 0, 0]), torch.from_numpy(source), alpha=2) is x and x.tolist() == expected.tolist()


def test_scatter_writes_where_gather_reads():
    index = torch.tensor([[2, 0], [1, 1]])
    src = torch.tensor([[1.0, 2.0, 9.0], [3.0, 4.0, 9.0]])
    assert torch.scatter(torch.zeros(2, 3), 1, index, src).tolist() == [[2, 0, 1], [0, 4, 0]]
    assert torch.scatter_add(torch.zeros(2, 3), 1, index, src).tolist() == [[2, 0, 1], [0, 7, 0]]
    x = torch.zeros(2, 3)
    assert x.scatter_(1, index, 5.0) is x and x.tolist() == [[5, 0, 5], [0, 5, 0]]
    assert torch.zeros(2, 3).scatter(1, torch.tensor([[2], [0]]), src).tolist() == [[0, 0, 1], [3, 0, 0]]
    assert torch.zeros(3).scatter_add_(0, torch.tensor([1, 1]), torch.ones(2)).tolist() == [0, 2, 0]


def test_masked_fill():
    x = torch.arange(4.0)
    assert x.masked_fill(x > 1, -1).tolist() == [0, 1, -1, -1] and x.tolist() == [0, 1, 2, 3]
    assert torch.masked_fill(x.reshape(2, 2), torch.tensor([True, False]), torch.tensor(7.0)).tolist() == [[7, 1], [7, 3]]
    assert x.masked_fill_(x > 1, 0.5) is x and x.tolist() == [0, 1, 0.5, 0.5]
    assert torch.arange(3).masked_fill(torch.tensor([True, False, False]), 5).dtype is torch.int64


def test_gradients():
    x, s, v = leaf(3, 2), leaf(2, 2), torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    torch.index_add(x, 0, torch.tensor([0, 0]), s, alpha=3).sum().backward()
    assert x.grad.tolist() == [[1, 1]] * 3 and s.grad.tolist() == [[3, 3]] * 2
    x, s = leaf(3), leaf(2)
    torch.scatter(x, 0, torch.tensor([2, 0]), s).sum().backward()
    assert x.grad.tolist() == [0, 1, 0] and s.grad.tolist() == [1, 1]
    x, s = leaf(3), leaf(2)
    torch.scatter_add(x, 0, torch.tensor([2, 2]), s).sum().backward()
    assert x.grad.tolist() == [1, 1, 1] and s.grad.tolist() == [1, 1]
    for fill in (torch.masked_fill, lambda x, m, v: (x * 1).masked_fill_(m, v)):
        x, v.grad = leaf(3), None
        fill(x, torch.tensor([True, False, True]), v).sum().backward()
        assert x.grad.tolist() == [0, 1, 0] and v.grad == 2


@pytest.mark.parametrize("call", [
    lambda x: x.index_add(0, torch.tensor([0, 1]), torch.ones(3)), lambda x: x.index_add(0, torch.tensor([0]), torch.ones(1, dtype=torch.float64)),
    lambda x: x.scatter(0, torch.tensor([[0]]), torch.ones(1)), lambda x: x.scatter(0, torch.tensor([0, 1]), torch.ones(1)),
    lambda x: x.masked_fill(torch.tensor([1, 0, 1]), 1.0), lambda x: x.masked_fill(x > 0, torch.ones(3)),
    lambda x: x.masked_fill_(torch.tensor([True, False]), 1.0), lambda x: x.index_add(0, torch.tensor([3]), torch.ones(1)),
    lambda x: x.scatter(0, torch.tensor([5]), torch.ones(1))])
def test_what_does_not_fit_is_an_error(call):
    with pytest.raises((RuntimeError, IndexError)):
        call(torch.ones(3))


@pytest.mark.parametrize("name, dtype", [("double", "float64"), ("float", "float32"), ("half", "float16"), ("bfloat16", "bfloat16"), ("long", "int64"),
                                         ("int", "int32"), ("short", "int16"), ("char", "int8"), ("byte", "uint8"), ("bool", "bool"),
                                         ("cfloat", "complex64"), ("cdouble", "complex128")])
def test_casts_by_name(name, dtype):
    x = torch.tensor([0.0, 2.0], dtype=torch.float64)
    y = getattr(x, name)()
    assert y.dtype is getattr(torch, dtype) and getattr(y, name)() is y


def test_where_as_a_method():
    x = leaf(3)
    y = x.where(torch.tensor([True, False, True]), torch.zeros(3, dtype=torch.float64))
    y.sum().backward()
    assert y.tolist() == [1, 0, 1] and x.grad.tolist() == [1, 0, 1]
    assert x.where(condition=torch.tensor([False] * 3), other=2.0).tolist() == [2, 2, 2]
