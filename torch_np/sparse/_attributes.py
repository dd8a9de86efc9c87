"""Attributes of sparse tensors, and methods that ask about them. Gradients are those of the values."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import alias, count_of, type_name, with_values
from torch_np.sparse._parts import COO, LAYOUTS, parts_of, size_of
from torch_np.sparse._tensor import SparseTensor, attributes, getter, implements, setter


@getter("shape")
def _shape(x: Tensor) -> Any:
    return torch_np.Size(size_of(x))


@implements("Tensor.size")
def _size(x: Tensor, dim: int | None = None) -> Any:
    size = torch_np.Size(size_of(x))
    if dim is None:
        return size
    if not -len(size) <= dim < len(size):
        raise IndexError(f"Dimension out of range (expected to be in range of [{-len(size)}, {len(size) - 1}], but got {dim})")
    return size[dim]


@getter("ndim")
@implements("Tensor.dim", "Tensor.ndimension")
def _dim(x: Tensor) -> int:
    return len(size_of(x))


@implements("numel", "Tensor.nelement")
def _numel(x: Tensor) -> int:
    return count_of(size_of(x))


@implements("Tensor.__len__")
def _len(x: Tensor) -> int:
    size = size_of(x)
    if not size:
        raise TypeError("len() of a 0-d tensor")
    return size[0]


def _of_values(name: str) -> Callable[[Any], Any]:
    def get(x: Tensor) -> Any:
        return getattr(parts_of(x).values, name)
    return get


for _name in ("dtype", "device", "itemsize", "is_meta", "is_cuda", "is_cpu", "requires_grad", "grad_fn", "is_leaf", "retains_grad", "output_nr",
              "grad_dtype", "_version"):
    getter(_name)(_of_values(_name))


@getter("nbytes")
def _nbytes(x: Tensor) -> int:
    parts = parts_of(x)
    if parts.plain is None:
        raise RuntimeError("nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes of the "
                           "indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() by element_size()")
    return count_of(size_of(x)) * parts.values.itemsize


def _method_of_values(name: str) -> Callable[..., Any]:
    def call(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        return getattr(parts_of(x).values, name)(*args, **kwargs)
    return call


for _name in ("is_complex", "is_floating_point", "is_signed", "is_inference", "is_conj", "is_neg", "Tensor.element_size", "Tensor.get_device",
              "Tensor.is_pinned", "Tensor.retain_grad"):
    implements(_name)(_method_of_values(_name.removeprefix("Tensor.")))


@implements("Tensor.requires_grad_")
def _requires_grad_(x: Tensor, requires_grad: bool = True) -> Tensor:
    values = parts_of(x).values
    if requires_grad and not (values.is_floating_point() or values.is_complex()):
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    values.requires_grad_(requires_grad)
    return x


@setter("requires_grad")
def _set_requires_grad(x: Tensor, requires_grad: bool) -> None:
    parts_of(x).values.requires_grad = requires_grad


@getter("grad")
def _grad(x: Tensor) -> Tensor | None:
    grad = parts_of(x).values.grad
    return None if grad is None else with_values(x, grad)


def values_at(x: Tensor, grad: Tensor) -> Tensor:
    """The values of `grad` at the indices of `x`: a gradient of the values of `x`."""
    from torch_np.sparse._masks import sparse_mask

    if tuple(grad.shape) != size_of(x):
        raise RuntimeError(f"assigned grad has data of a different size: {tuple(grad.shape)} and {size_of(x)}")
    return parts_of(sparse_mask(grad, x)).values


@setter("grad")
def _set_grad(x: Tensor, grad: Tensor | None) -> None:
    parts_of(x).values.grad = None if grad is None else values_at(x, grad)


@implements("Tensor.backward")
def _backward(x: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph: bool = False,
              inputs: Any = None) -> None:
    if not parts_of(x).values.requires_grad:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if gradient is None:
        if count_of(size_of(x)) != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        gradient = torch_np.ones(size_of(x), dtype=x.dtype, device=x.device)
    if inputs is not None:
        leaves = [inputs] if isinstance(inputs, Tensor) else inputs
        inputs = [parts_of(leaf).values if _is_sparse(leaf) else leaf for leaf in leaves]
    parts_of(x).values.backward(values_at(x, gradient), retain_graph, create_graph, inputs)


@implements("Tensor.register_hook")
def _register_hook(x: Tensor, hook: Callable[[Tensor], Tensor | None]) -> Any:
    def of_values(grad: Tensor) -> Tensor | None:
        changed = hook(with_values(x, grad))
        return None if changed is None else values_at(x, changed)
    return parts_of(x).values.register_hook(of_values)


@implements("detach")
def _detach(x: Tensor) -> Tensor:
    return with_values(x, parts_of(x).values.detach())


@implements("detach_")
def _detach_(x: Tensor) -> Tensor:
    from torch_np.sparse._parts import replace

    parts = parts_of(x)
    return replace(x, parts._replace(values=parts.values.detach()), size_of(x))


@getter("data")
def _data(x: Tensor) -> Tensor:
    return with_values(x, parts_of(x).values.detach())


@setter("data")
def _set_data(x: Tensor, data: Tensor) -> None:
    from torch_np.sparse._parts import replace

    if not _is_sparse(data):
        raise RuntimeError("Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type.")
    parts = parts_of(data)
    replace(x, parts._replace(values=parts.values.detach().requires_grad_(parts_of(x).values.requires_grad)), size_of(data))


@implements("Tensor.stride")
def _stride(x: Tensor, dim: int | None = None) -> Any:
    if parts_of(x).layout != COO:
        raise RuntimeError(f"Sparse {_short_name(x)} tensors do not have strides")
    return (0,) * len(size_of(x)) if dim is None else 0


@implements("Tensor.is_contiguous")
def _is_contiguous(x: Tensor, memory_format: Any = None) -> bool:
    if parts_of(x).layout != COO:
        raise RuntimeError(f"Sparse {_short_name(x)} tensors do not have is_contiguous")
    return False


@implements("Tensor.storage_offset")
def _storage_offset(x: Tensor) -> int:
    return 0


def _short_name(x: Tensor) -> str:
    return str(LAYOUTS[parts_of(x).layout])[-3:].upper()


@implements("is_same_size")
def _is_same_size(x: Tensor, other: Tensor) -> bool:
    return tuple(x.shape) == tuple(other.shape)


@implements("Tensor.data_ptr")
def _data_ptr(x: Tensor) -> NoReturn:
    raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


@implements("Tensor.tolist")
def _tolist(x: Tensor) -> NoReturn:
    raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


@implements("Tensor.numpy", "Tensor.__array__")
def _numpy(x: Tensor, *args: Any, **kwargs: Any) -> NoReturn:
    from torch_np.sparse._common import layout_name

    raise TypeError(f"can't convert {layout_name(x)} layout tensor to numpy. Use Tensor.to_dense() first.")


@implements("Tensor.__dlpack__")
def _dlpack(x: Tensor, *args: Any, **kwargs: Any) -> NoReturn:
    raise BufferError("Can't export tensors with layout other than torch.strided")


@implements("Tensor.item")
def _item(x: Tensor) -> Any:
    if (count := count_of(size_of(x))) != 1:
        raise RuntimeError(f"a Tensor with {count} elements cannot be converted to Scalar")
    return x.to_dense().item()


def _number(kind: Callable[[Any], Any]) -> Callable[[Tensor], Any]:
    def convert(x: Tensor) -> Any:
        return kind(_item(x))
    return convert


for _name, _kind in (("__float__", float), ("__int__", int), ("__complex__", complex), ("__index__", operator.index)):
    implements(f"Tensor.{_name}")(_number(_kind))


@implements("is_nonzero", "Tensor.__bool__")
def _is_nonzero(x: Tensor) -> bool:
    count = count_of(size_of(x))
    if count != 1:
        raise RuntimeError(f"Boolean value of Tensor with {'no' if not count else 'more than one'} value{'' if count else 's'} is ambiguous")
    return bool(x.to_dense())


@implements("resolve_conj", "resolve_neg")
def _itself(x: Tensor) -> Tensor:
    return x


@getter("real")
def _real(x: Tensor) -> Tensor:
    values = parts_of(x).values
    return with_values(x, values.real if values.is_complex() else alias(values))


@getter("imag")
def _imag(x: Tensor) -> Tensor:
    return with_values(x, parts_of(x).values.imag)


def _storage(x: Tensor, *args: Any, **kwargs: Any) -> NoReturn:
    raise NotImplementedError(f"Cannot access storage of Sparse{'' if parts_of(x).layout == COO else 'Csr'}TensorImpl")


def _type(x: Tensor, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
    if dtype is None:
        return type_name(x)
    values = parts_of(x).values.type(dtype.replace(".sparse.", ".") if isinstance(dtype, str) else dtype, non_blocking, **kwargs)
    return x if values is parts_of(x).values else with_values(x, values)


def _dim_order(x: Tensor, ambiguity_check: Any = False) -> NoReturn:
    raise AttributeError(f"Can't get dim order on sparse type: {type_name(x)} Use Tensor.to_dense() to convert to a dense tensor first.")


def _no(x: Tensor) -> bool:
    return False


# Methods of Tensor in Python, which look for no overrides.
for _name, _method in (("storage", _storage), ("untyped_storage", _storage), ("share_memory_", _storage), ("is_shared", _storage),
                       ("type", _type), ("dim_order", _dim_order), ("_is_view", _no)):
    setattr(SparseTensor, _name, _method)
setattr(SparseTensor, "_base", property(lambda x: None))
# The table serves descriptors of Tensor; attributes of sparse tensors themselves are found faster.
for _name, _get in attributes().items():
    setattr(SparseTensor, _name, _get)
for _name, _fast in (("size", _size), ("dim", _dim), ("numel", _numel), ("is_complex", _method_of_values("is_complex")),
                     ("is_floating_point", _method_of_values("is_floating_point"))):
    setattr(SparseTensor, _name, _fast)
