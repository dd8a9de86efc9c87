"""torch_np.operator: custom operators as two classes. A CustomOp computes, a CustomOpProp describes
it, and `Custom(x, op_type=...)` calls it.

    class Sigmoid(torch_np.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            y = 1 / (1 + numpy.exp(-in_data[0].asnumpy()))
            self.assign(out_data[0], req[0], torch_np.tensor(y))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            y, dy = out_data[0].asnumpy(), out_grad[0].asnumpy()
            self.assign(in_grad[0], req[0], torch_np.tensor(dy * (1 - y) * y))

    @torch_np.operator.register("sigmoid")
    class SigmoidProp(torch_np.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Sigmoid()

    y = torch_np.Custom(x, op_type="sigmoid")

The interface is MXNet's (mxnet.operator); `torch_np.library.custom_op` is shorter.
"""
from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy

from torch_np import _C

_Prop = TypeVar("_Prop", bound="type[CustomOpProp]")
Shape = Sequence[int]

_REQUESTS = ("null", "write", "inplace", "add")


class NDArray(_C.Tensor):
    """A Tensor with MXNet's method `asnumpy`, as the methods of a CustomOp receive it."""

    def asnumpy(self) -> numpy.ndarray[Any, Any]:
        """Returns a copy as an array of NumPy. Shapes: the same."""
        return self.detach().cpu().numpy().copy()


class CustomOp:
    """Base class of a custom operator's computation. An instance serves one call and its backward,
    so that its attributes are kept in between.
    """

    def forward(self, is_train: bool, req: list[str], in_data: list[_C.Tensor], out_data: list[_C.Tensor], aux: list[_C.Tensor]) -> None:
        """Computes the results into `out_data`, by `assign`. Classes override it.

        Args:
          is_train: Whether the call is recorded for a gradient.
          req: How to assign each result: 'null' (not at all), 'write', 'inplace' or 'add'.
          in_data: The arguments.
          out_data: Tensors for the results, with their shapes and dtypes.
          aux: The states, which may be changed in place.

        Shapes: those that `infer_shape` returned.
        Errors: NotImplementedError if a class does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def backward(self, req: list[str], out_grad: list[_C.Tensor | None], in_data: list[_C.Tensor | None],
                 out_data: list[_C.Tensor | None], in_grad: list[_C.Tensor], aux: list[_C.Tensor]) -> None:
        """Computes the gradients of the arguments into `in_grad`, by `assign`. Classes override it.

        Args:
          req: How to assign each gradient: 'null' (not at all), 'write', 'inplace' or 'add'.
          out_grad: Gradients of the results.
          in_data: The arguments.
          out_data: The results.
          in_grad: Tensors for the gradients of the arguments.
          aux: The states.

        Tensors that `declare_backward_dependency` omits are None.

        Shapes: each gradient as its tensor.
        Errors: NotImplementedError if a class does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} has no backward")

    def assign(self, dst: _C.Tensor, req: str, src: Any) -> None:
        """Assigns `src` to `dst`.

        Args:
          dst: Tensor that is written.
          req: 'null' (nothing is assigned), 'write', 'inplace' or 'add'.
          src: Values.

        Shapes: `src` broadcasts to `dst`.
        Errors: ValueError if `req` is none of these.
        """
        if req not in _REQUESTS:
            raise ValueError(f"assign(): req is one of {', '.join(map(repr, _REQUESTS))}, not {req!r}")
        if req == "null":
            return
        if not isinstance(src, _C.Tensor):
            from torch_np import numpy as nx

            src = nx.asarray(src)._torch()
        if req == "add":
            src = dst + src
        dst.copy_(src)


class CustomOpProp:
    """Base class of a custom operator's description: names, shapes and dtypes of its arguments and
    results.

    Attributes of a call are passed to `__init__` as strings.

    Args:
      need_top_grad: Whether backward reads the gradients of the results; a loss does not.
    """

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def infer_shape(self, in_shape: list[list[int]]) -> tuple[Sequence[Shape], Sequence[Shape], Sequence[Shape]]:
        """Returns the shapes of arguments, results and states. By default the results and states
        have the shape of the first argument.

        Args:
          in_shape: Shapes of the arguments.
        """
        first = in_shape[0] if in_shape else []
        return in_shape, [first] * len(self.list_outputs()), [first] * len(self.list_auxiliary_states())

    def infer_type(self, in_type: list[numpy.dtype[Any]]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Returns the dtypes of arguments, results and states. By default the results and states
        have the dtype of the first argument.

        Args:
          in_type: Dtypes of the arguments.
        """
        first = in_type[0] if in_type else numpy.dtype(numpy.float32)
        return in_type, [first] * len(self.list_outputs()), [first] * len(self.list_auxiliary_states())

    def list_arguments(self) -> list[str]:
        """Returns the names of the arguments."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """Returns the names of the results."""
        return ["output"]

    def list_auxiliary_states(self) -> list[str]:
        """Returns the names of the states, which follow the arguments in a call."""
        return []

    def declare_backward_dependency(self, out_grad: list[int], in_data: list[int], out_data: list[int]) -> Sequence[int]:
        """Returns the ids of the arrays that backward reads. By default it reads all of them, but
        gradients of results only if `need_top_grad`.

        Args:
          out_grad: Ids of the gradients of the results.
          in_data: Ids of the arguments.
          out_data: Ids of the results.
        """
        return [*(out_grad if self.need_top_grad_ else []), *in_data, *out_data]

    def create_operator(self, ctx: str, in_shapes: list[list[int]], in_dtypes: list[numpy.dtype[Any]]) -> CustomOp:
        """Returns the CustomOp for a call. Classes override it.

        Args:
          ctx: Device of the call, as a string.
          in_shapes: Shapes of the arguments.
          in_dtypes: Dtypes of the arguments.
        """
        return CustomOp()


_registered: dict[str, type[CustomOpProp]] = {}
_lock = threading.Lock()


def register(reg_name: str) -> Callable[[_Prop], _Prop]:
    """Returns a decorator that registers a CustomOpProp. The same class defined again, as in a
    notebook, replaces the earlier one.

    Args:
      reg_name: Name of the operator, `op_type` of `Custom`.

    Errors: TypeError unless the name is a string and the class a CustomOpProp; ValueError if
    another class has the name.
    """
    def add(prop_class: _Prop) -> _Prop:
        if not (isinstance(prop_class, type) and issubclass(prop_class, CustomOpProp)):
            raise TypeError(f"register({reg_name!r}): expected a class derived from CustomOpProp, not {prop_class!r}")
        with _lock:
            old = _registered.get(reg_name)
            if old is not None and (old.__module__, old.__qualname__) != (prop_class.__module__, prop_class.__qualname__):
                raise ValueError(f"register({reg_name!r}): {old.__module__}.{old.__qualname__} has that name already; the new one is "
                                 f"{prop_class.__module__}.{prop_class.__qualname__}")
            _registered[reg_name] = prop_class
        return prop_class
    if not isinstance(reg_name, str):
        raise TypeError(f"register(): the name must be str, not {type(reg_name).__name__}")
    return add


def get_all_registered_operators() -> list[str]:
    """Returns the names of the registered operators, sorted."""
    return sorted(_registered)


def custom(args: tuple[Any, ...], op_type: str, kwargs: dict[str, Any], numpy_face: bool) -> Any:
    """Implements `Custom(*args, op_type=op_type, **kwargs)` for Tensors or ndarrays.

    Errors: ValueError if `op_type` is not registered or shapes contradict the CustomOpProp,
    TypeError for wrong arguments and dtypes.
    """
    try:
        prop_class = _registered[op_type]
    except (KeyError, TypeError):
        raise ValueError(f"Custom(): no operator {op_type!r} is registered: there are {', '.join(map(repr, sorted(_registered))) or 'none'}"
                         ) from None
    arrays = {name: value for name, value in kwargs.items() if _C._is_array(value)}
    attributes = {name: str(value) for name, value in kwargs.items() if name not in arrays}
    try:
        prop: CustomOpProp = prop_class(**attributes)  # type: ignore[arg-type]  # the constructor of a derived class
    except Exception as error:
        error.add_note(f"in __init__ of {prop_class.__name__}, of operator {op_type!r}, with attributes {attributes}")
        raise
    call = _Call(op_type, prop, is_train=False)
    tensors = [call.tensor(value, i, numpy_face) for i, value in enumerate(call.in_order(args, arrays))]
    call.is_train = _C._is_grad_enabled() and any([t.requires_grad for t in tensors])
    call.prepare(tensors)
    results = _C._function_apply(call, tuple(tensors))
    if numpy_face:
        results = tuple(r._np_compat() for r in results)
    return results[0] if len(results) == 1 else results


class _Call:
    """One call of a custom operator, which the engine records like an autograd.Function."""

    def __init__(self, op_type: str, prop: CustomOpProp, is_train: bool) -> None:
        self.__name__, self._prop, self.is_train = op_type, prop, is_train
        self._arguments, self._outputs = list(self._ask("list_arguments")), list(self._ask("list_outputs"))
        self._states = list(self._ask("list_auxiliary_states"))

    def _ask(self, method, *args):
        try:
            return getattr(self._prop, method)(*args)
        except Exception as error:
            error.add_note(f"in {method} of {type(self._prop).__name__}, of operator {self.__name__!r}")
            raise

    def in_order(self, args, named):
        """Returns the arguments, then the states: positional ones, then those by name."""
        names = [*self._arguments, *self._states]
        for name in named:
            if name not in names:
                raise TypeError(f"Custom(op_type={self.__name__!r}): no argument is called '{name}': there are {', '.join(names)}")
            if name in names[:len(args)]:
                raise TypeError(f"Custom(op_type={self.__name__!r}): got '{name}' by position and by name")
        values = [*args, *[named[name] for name in names[len(args):] if name in named]]
        if len(values) != len(names):
            raise TypeError(f"Custom(op_type={self.__name__!r}): expected {len(names)} arrays ({', '.join(names)}), got {len(values)}")
        return values

    def tensor(self, value, i, numpy_face):
        if isinstance(value, _C.Tensor):
            return value
        if _C._is_ndarray(value):
            return value._torch()
        if numpy_face and i < len(self._arguments):
            from torch_np import numpy as nx

            return nx.asarray(value)._torch()
        raise TypeError(f"Custom(op_type={self.__name__!r}): argument '{[*self._arguments, *self._states][i]}' must be Tensor, not "
                        f"{type(value).__name__}")

    def _three(self, method, given, counts):
        """Calls infer_shape or infer_type, and returns its three lists, whose lengths must be
        `counts`.
        """
        answer = self._ask(method, given)
        if not isinstance(answer, (tuple, list)) or len(answer) not in (2, 3):
            raise ValueError(f"operator {self.__name__!r}: {method} gave {answer!r}: expected three lists, of arguments, results and states")
        lists = [list(each) for each in answer] + [[]] * (3 - len(answer))
        for what, each, n in zip(("arguments", "results", "states"), lists, counts):
            if len(each) != n:
                raise ValueError(f"operator {self.__name__!r}: {method} gave {len(each)} {what}, expected {n}: {each!r}")
        return lists

    def prepare(self, tensors):
        counts = len(self._arguments), len(self._outputs), len(self._states)
        n = counts[0]
        shapes, dtypes = [list(t.shape) for t in tensors[:n]], [_numpys(t) for t in tensors[:n]]
        in_shapes, out_shapes, state_shapes = self._three("infer_shape", [list(s) for s in shapes], counts)
        in_types, out_types, state_types = self._three("infer_type", list(dtypes), counts)
        for what, names, wanted, got in (("shape", self._arguments, in_shapes, shapes),
                                         ("shape", self._states, state_shapes, [list(t.shape) for t in tensors[n:]])):
            for name, w, g in zip(names, wanted, got):
                if self._shape(name, w) != g:
                    raise ValueError(f"operator {self.__name__!r}: '{name}' must have {what} {tuple(w)}, got {tuple(g)}")
        for names, wanted, got in ((self._arguments, in_types, dtypes), (self._states, state_types, [_numpys(t) for t in tensors[n:]])):
            for name, w, g in zip(names, wanted, got):
                if self._dtype(name, w) != g:
                    raise TypeError(f"operator {self.__name__!r}: '{name}' must have dtype {self._dtype(name, w)}, got {g}")
        self._made = [(self._shape(name, s), self._dtype(name, t)) for name, s, t in zip(self._outputs, out_shapes, out_types)]
        self._device = next((t.device for t in tensors if t.device.type != "cpu"), _C.device("cpu"))
        self._operator = self._ask("create_operator", str(self._device), shapes, dtypes)
        if not isinstance(self._operator, CustomOp):
            raise TypeError(f"operator {self.__name__!r}: create_operator gave {type(self._operator).__name__}, expected a CustomOp")
        at = iter(range(2 * counts[1] + n))
        ids = [[next(at) for _ in range(k)] for k in (counts[1], n, counts[1])]
        wanted = set(self._ask("declare_backward_dependency", *[list(k) for k in ids]))
        self._reads = [[i in wanted for i in k] for k in ids]

    def _shape(self, name, shape):
        try:
            lengths = [int(length) for length in shape]
        except (TypeError, ValueError):
            lengths = [-1]
        if any(length < 0 for length in lengths) or len(lengths) > 64:
            raise ValueError(f"operator {self.__name__!r}: infer_shape gave {shape!r} for '{name}', which is not a shape")
        return lengths

    def _dtype(self, name, dtype):
        try:
            return numpy.dtype(dtype) if type(dtype) is not _C.dtype else _numpys(_empty([0], dtype, "cpu"))
        except TypeError:
            raise TypeError(f"operator {self.__name__!r}: infer_type gave {dtype!r} for '{name}', which is not a dtype") from None

    def _run(self, what, *arguments):
        before = _C._is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            getattr(self._operator, what)(*arguments)
        except Exception as error:
            error.add_note(f"in {what} of operator {self.__name__!r}")
            raise
        finally:
            _C._set_grad_enabled(before)

    # --- called by the engine

    def forward(self, *tensors):
        # A compiled function records one opaque call, made by a fresh _Call: the attributes that
        # forward leaves in this CustomOp would be missing in a replayed backward.
        if not self.is_train and _C._is_observed():
            return _C._call_opaque(self.__name__, self._replay, tensors, True)
        return self._compute(*tensors)

    def _replay(self, *tensors):
        call = _Call(self.__name__, self._prop, is_train=False)
        call.prepare(list(tensors))
        return call._compute(*tensors)

    def _compute(self, *tensors):
        data = [_shown(t) for t in tensors[:len(self._arguments)]]
        self._aux = list(tensors[len(self._arguments):])
        made = [_empty(shape, dtype, self._device) for shape, dtype in self._made]
        if self._device.type != "meta":
            given = [_shown(m) for m in made]
            self._run("forward", self.is_train, ["write"] * len(made), data, given, [_shown(state) for state in self._aux])
            for state in self._aux:
                _C._bump_version(state)
        return tuple(made)

    def setup_context(self, ctx, tensors, results):
        ctx.save_for_backward(*[t if read else None for t, read in zip(tensors, self._reads[1])],
                              *[r if read else None for r, read in zip(results, self._reads[2])])
        self._places = [(list(t.shape), _numpys(t)) for t in tensors[:len(self._arguments)]]

    def backward(self, ctx, *grads):
        from torch_np.autograd.function import _NotDifferentiable

        results = self._backward(ctx, *grads)
        sources = [t for t in (*grads, *ctx.saved_tensors) if t is not None and t.requires_grad] if _C._is_grad_enabled() else []
        return tuple(_NotDifferentiable.apply(g, *sources) if g is not None and sources else g for g in results)

    def _backward(self, ctx, *grads):
        saved = [None if t is None else _shown(t) for t in ctx.saved_tensors]
        n = len(self._arguments)
        in_data, out_data = saved[:n], saved[n:]
        out_grad = [_shown(g) if read else None for g, read in zip(grads, self._reads[0])]
        needed = ctx.needs_input_grad
        in_grad = [_empty(shape, dtype, self._device) for shape, dtype in self._places]
        if self._device.type != "meta":
            self._run("backward", ["write" if needed[i] else "null" for i in range(n)], out_grad, in_data, out_data,
                      [_shown(g) for g in in_grad], [_shown(state) for state in self._aux])
        return (*[g if needed[i] else None for i, g in enumerate(in_grad)], *[None] * len(self._aux))


def _numpys(tensor):
    """Returns NumPy's dtype of a Tensor."""
    return numpy.dtype(tensor._np_compat().dtype)


def _shown(tensor):
    """Returns an NDArray over the same memory, to pass to methods of a CustomOp."""
    return NDArray(tensor.detach())


def _empty(shape, dtype, device):
    import torch_np

    return torch_np.zeros(tuple(shape), dtype=dtype, device=device)
