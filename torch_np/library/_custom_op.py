"""`custom_op`: operators written in Python."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy

from torch_np import _C, _registry
from torch_np._torch.autocasting import autocast, cast, is_autocast_enabled
from torch_np.library._schema import Parameter, Schema, from_function, from_text

_Function = Callable[..., Any]
_DEVICES = ("cpu", "cuda")


class CustomOpDef:
    """An operator made by `custom_op`.

    Called with Tensors it returns Tensors, and with ndarrays ndarrays. It is registered as
    `torch_np.ops.<namespace>.<name>`, and for arrays, lists and numbers as
    `torch_np.numpy._ops.<namespace>.<name>`.

    Args:
      qualified_name: 'namespace::name'.
      function: The function that computes the results.
      schema: Parameters and results of the operator.
      devices: Device types that the function supports; None is 'cpu' and 'cuda'.
    """

    def __init__(self, qualified_name: str, function: _Function, schema: Schema, devices: Sequence[str] | None) -> None:
        self.qualified_name, self.schema = qualified_name, schema
        self.__name__, self.__qualname__ = _registry.split(qualified_name)[1], function.__qualname__
        self.__module__, self.__doc__, self.__wrapped__ = function.__module__, function.__doc__, function
        self.__signature__ = schema.signature
        code = getattr(function, "__code__", None)
        self.origin = f"{code.co_filename}:{code.co_firstlineno}" if code else repr(function)
        self._kernels: dict[str, _Function] = dict.fromkeys(_DEVICES if devices is None else devices, function)
        self._fake: _Function | None = None
        self.autocasts: dict[str, Any] = {}  # dtypes of the inputs in autocast, by device type
        self._backward: _Function | None = None
        self._setup_context: _Function | None = None
        self._vmap: _Function | None = None
        self._numpy_operator = NumPyOperator(self)
        parameters = schema.parameters
        self._at_once = len(parameters) if not any(p.keyword_only for p in parameters) else -1
        self._mutated = [i for i, p in enumerate(parameters) if p.mutated]
        self._has_lists = any(p.is_tensor and p.several for p in parameters)
        self._recorder = _Recorder(self, None)

    # ------------------------------------------------------------------------------------------- registration

    def register_kernel(self, device_types: str | Sequence[str] | None, function: _Function | None = None, /) -> Any:
        """Registers the function that computes the results on some device types.

        Args:
          device_types: 'cpu', 'cuda' or several of them; None is all.
          function: The function; None returns a decorator.

        Errors: ValueError for a device type that is neither 'cpu' nor 'cuda'.
        """
        def register(function: _Function) -> _Function:
            self._kernels.update(dict.fromkeys(_device_types(self.qualified_name, device_types) or _DEVICES, function))
            return function
        return register if function is None else register(function)

    def register_fake(self, function: _Function, /) -> _Function:
        """Registers the function that returns results with the right shape and dtype on
        `device='meta'`, where arrays have no data.

        Args:
          function: The function, with the parameters of the operator.
        """
        self._fake = function
        return function

    def register_autograd(self, backward: _Function, /, *, setup_context: _Function | None = None) -> None:
        """Registers the derivative of the operator.

        Args:
          backward: Function `backward(ctx, *grads)`, which receives a gradient for each result. It
            returns a gradient, or None, for each parameter that is not keyword-only; a single one
            needs no tuple.
          setup_context: Function `setup_context(ctx, inputs, output)`, which runs after the
            operator and saves tensors for backward (`ctx.save_for_backward(...)`). For operators
            with keyword-only parameters it also receives `keyword_only_inputs=`.

        Errors: ValueError for an operator that changes arguments in place.
        """
        if self._mutated:
            raise ValueError(f"{self.qualified_name} changes arguments in place: such operators have no gradient")
        self._backward, self._setup_context = backward, setup_context

    def register_vmap(self, function: _Function | None = None, /) -> Any:
        """Registers the function that computes the results of a batch within vmap. An operator without one
        runs once for each sample.

        Args:
          function: Function `rule(info, in_dims, *args, **kwargs)`. `info` has batch_size and randomness,
            and `in_dims` the dimension of the batch in each argument, or None. It returns the results
            and their dimensions of the batch. None returns a decorator.
        """
        def register(function: _Function) -> _Function:
            self._vmap = function
            return function
        return register if function is None else register(function)

    # ------------------------------------------------------------------------------------------- PyTorch's names

    @property
    def default(self) -> CustomOpDef:
        """The operator itself, which has no overloads."""
        return self

    @property
    def _opoverload(self) -> CustomOpDef:
        return self

    @property
    def _schema(self) -> str:
        return f"{self.qualified_name}{self.schema}"

    @property
    def _qualified_op_name(self) -> str:
        return self.qualified_name

    @property
    def _name(self) -> str:
        return self.qualified_name

    def name(self) -> str:
        """Returns the name, 'namespace::name'."""
        return self.qualified_name

    def overloads(self) -> list[str]:
        """Returns the names of the overloads: only 'default'."""
        return ["default"]

    # ------------------------------------------------------------------------------------------------ calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(args, kwargs, None)

    def __get__(self, instance: object, owner: type | None = None) -> CustomOpDef:
        # having __get__ makes help() show it like a function; but as a class attribute it is not
        # bound to an instance
        return self

    def as_numpy(self) -> NumPyOperator:
        return self._numpy_operator

    def __repr__(self) -> str:
        return f"<operator {self.qualified_name}{self.schema}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _registry.found, (self.qualified_name,)

    def _call_with_casts(self, args, kwargs, numpy_face):
        for device_type, dtype in self.autocasts.items():
            if is_autocast_enabled(device_type):
                with autocast(device_type, enabled=False):
                    return self._call(cast(args, device_type, dtype), cast(kwargs, device_type, dtype), numpy_face)
        return self._call(args, kwargs, numpy_face)

    def _call(self, args, kwargs, numpy_face):
        if self.autocasts and _C._is_autocast_on() and any(map(is_autocast_enabled, self.autocasts)):
            return self._call_with_casts(args, kwargs, numpy_face)
        if kwargs or len(args) != self._at_once:
            args = self.schema.bind(self.qualified_name, args, self.schema.named(kwargs) if kwargs else kwargs)
        values, tensors = [], []
        for parameter, value in zip(self.schema.parameters, args):
            if parameter.kind != "Tensor" or value is None:
                if parameter.kind == "Tensor" and not parameter.optional:
                    raise self._no_tensor(parameter, value)
                values.append(value if parameter.kind == "Tensor" else parameter.read(value, self.qualified_name))
            elif parameter.several:
                if not isinstance(value, (list, tuple)):
                    raise self._no_tensor(parameter, value)
                several = [self._tensor(parameter, v, numpy_face) for v in value]
                if numpy_face is None and value:
                    numpy_face = _C._is_ndarray(value[0])
                tensors += several
                values.append(several)
            else:
                tensor = self._tensor(parameter, value, numpy_face)
                if numpy_face is None:
                    numpy_face = tensor is not value
                tensors.append(tensor)
                values.append(tensor)
        if _C._is_grad_enabled():
            if any([t.requires_grad for t in tensors]):
                if self._mutated:
                    self._refuse_to_record(values)
                results = self._record(values)
            else:
                _C._set_grad_enabled(False)
                try:
                    results = self._run(values, tensors)
                finally:
                    _C._set_grad_enabled(True)
        else:
            results = self._run(values, tensors)
        if not numpy_face:
            return results
        if isinstance(results, tuple):
            return tuple(r._np_compat() for r in results)
        if isinstance(results, list):
            return [r._np_compat() for r in results]
        return None if results is None else results._np_compat()

    def _tensor(self, parameter, value, numpy_face):
        if isinstance(value, _C.Tensor):
            return value
        if _C._is_ndarray(value):
            return value._torch()
        if numpy_face and not parameter.mutated:
            from torch_np import numpy as nx

            try:
                return nx.asarray(value)._torch()
            except (TypeError, ValueError, AttributeError) as error:
                raise self._no_tensor(parameter, value) from error
        raise self._no_tensor(parameter, value)

    def _no_tensor(self, parameter, value):
        return TypeError(f"{self.qualified_name}(): argument '{parameter.name}' must be {parameter.type_text()}, not {type(value).__name__}")

    def _refuse_to_record(self, values):
        for i in self._mutated:
            each = values[i] if isinstance(values[i], list) else [values[i]]
            if any(t is not None and t.requires_grad for t in each):
                raise RuntimeError(f"{self.qualified_name}(): argument '{self.schema.parameters[i].name}' requires grad and is changed in "
                                   "place, which has no gradient: detach it")

    # ------------------------------------------------------------------------------------------------ kernels

    def _kernel(self, tensors):
        place = "cpu"
        for t in tensors:
            kind = t.device.type
            if kind != "cpu":
                place = kind
                if kind == "meta":
                    break
        if place != "meta":
            kernel = self._kernels.get(place)
            if kernel is None:
                raise NotImplementedError(f"{self.qualified_name}(): no kernel for device '{place}': register_kernel('{place}') adds one")
            return kernel, place
        if self._fake is None:
            raise NotImplementedError(f"{self.qualified_name}(): no function gives its shapes on device 'meta': register_fake adds one")
        return self._fake, place

    def _run(self, values, tensors):
        # kernels run without recording gradients, so that they may call x.numpy()
        if any([t.requires_grad for t in tensors]):
            values = [_detached(v) for v in values]
        if any(map(_C._is_wrapped, tensors)):
            from torch_np._transforms import batch_functions

            batch = batch_functions.batch_of(tensors)
            if batch is not None:
                return self._run_batch(batch, values)
        if _C._is_observed():  # torch_np.compile records one opaque call
            return _C._call_opaque(self.qualified_name, self._replay, tuple(values), self._fake is not None)
        return self._compute(values, tensors)

    def _run_batch(self, batch, values):
        from torch_np._transforms import batch_functions

        args, kwargs = self._as_annotated(values)
        if self._vmap is not None:
            return batch_functions.by_rule(batch, self._vmap, tuple(args), kwargs)
        if self._mutated:
            raise NotImplementedError(f"{self.qualified_name}(): vmap of an operator that changes arguments in place; register_vmap adds a rule")
        return batch_functions.by_loop(batch, self.qualified_name, self._replay, values)

    def _replay(self, *values):
        return self._compute(values, [t for v in values for t in (v if isinstance(v, list) else [v]) if isinstance(t, _C.Tensor)])

    def _compute(self, values, tensors):
        kernel, place = self._kernel(tensors) if tensors else (self._kernels.get("cpu") or next(iter(self._kernels.values())), "cpu")
        results = self._guarded(kernel, "forward" if place != "meta" else "fake", self._as_annotated(values))
        for i in self._mutated:
            for t in values[i] if isinstance(values[i], list) else [values[i]]:
                if t is not None:
                    _C._bump_version(t)
        return self._checked(results, tensors)

    def _as_annotated(self, values):
        """Returns positional and keyword arguments for a kernel. Parameters annotated as ndarray
        receive ndarrays.
        """
        args, kwargs = [], {}
        for p, v in zip(self.schema.parameters, values):
            if p.as_ndarray and v is not None:
                v = [t._np_compat() for t in v] if p.several else v._np_compat()
            if p.keyword_only:
                kwargs[p.name] = v
            else:
                args.append(v)
        return args, kwargs

    def _guarded(self, function, what, arguments):
        args, kwargs = arguments
        try:
            return function(*args, **kwargs)
        except Exception as error:
            error.add_note(f"in {what} of operator {self.qualified_name}")
            raise

    def _checked(self, results, tensors):
        schema = self.schema
        if schema.results == 1 and schema.single:
            return self._result(results, tensors)
        if schema.results == 0:
            if results is not None:
                raise self._wrong_results("None", results)
            return None
        if not isinstance(results, (tuple, list)) or schema.results is not None and len(results) != schema.results:
            raise self._wrong_results("a list of Tensors" if schema.results is None else f"{schema.results} Tensors", results)
        made = [self._result(r, tensors) for r in results]
        if len({id(r) for r in made}) < len(made):
            raise RuntimeError(f"{self.qualified_name}(): two results are the same Tensor: return a copy of it")
        return made if schema.results is None else tuple(made)

    def _result(self, result, tensors):
        if _C._is_ndarray(result):
            result = result._torch()
        elif isinstance(result, numpy.generic):  # 0-d results of the NumPy face are NumPy scalars
            result = _C._numpy.asarray(result)._torch()
        elif not isinstance(result, _C.Tensor):
            raise self._wrong_results("a Tensor", result)
        for t in tensors:
            if result is t or result.data_ptr() == t.data_ptr() and result.numel() and t.numel() and result.device.type != "meta":
                raise RuntimeError(f"{self.qualified_name}(): a result is an argument, or a view of one: return a copy of it")
        return result

    def _wrong_results(self, expected, results):
        said = f"{len(results)} values" if isinstance(results, (tuple, list)) else type(results).__name__
        return TypeError(f"{self.qualified_name}(): expected the function to return {expected}, got {said}")

    # ------------------------------------------------------------------------------------------------ gradients

    def _record(self, values):
        if not self._has_lists:
            return self._list_of(_C._function_apply(self._recorder, tuple(values)))
        lengths: list[int | None] = []
        flat: list[Any] = []
        for p, v in zip(self.schema.parameters, values):
            if p.is_tensor and p.several and v is not None:
                lengths.append(len(v))
                flat += v
            else:
                lengths.append(None)
                flat.append(v)
        return self._list_of(_C._function_apply(_Recorder(self, lengths), tuple(flat)))

    def _list_of(self, results):
        return list(results) if self.schema.results is None else results


def _detached(value):
    if isinstance(value, list):
        return [_detached(v) for v in value]
    return value.detach() if isinstance(value, _C.Tensor) else value


class _Recorder:
    """Adapter through which the engine records a call like an autograd.Function. Lists of Tensors
    are flattened into its arguments.
    """

    def __init__(self, operator: CustomOpDef, lengths: list[int | None] | None) -> None:
        self.__name__ = operator.__name__
        self._operator, self._lengths = operator, lengths

    def _grouped(self, flat):
        if self._lengths is None:
            return list(flat)
        at, values = 0, []
        for n in self._lengths:
            values.append(flat[at] if n is None else list(flat[at:at + n]))
            at += 1 if n is None else n
        return values

    def forward(self, *flat):
        results = self._operator._run(self._grouped(flat), [v for v in flat if isinstance(v, _C.Tensor)])
        return tuple(results) if isinstance(results, list) else results

    def setup_context(self, ctx, flat, output):
        ctx._inputs = None
        setup = self._operator._setup_context
        if setup is None:
            return
        inputs, keywords = self._operator._as_annotated(self._grouped(flat))
        output = list(output) if self._operator.schema.results is None else output
        self._operator._guarded(setup, "setup_context",
                                ((ctx, tuple(inputs)), {"keyword_only_inputs": keywords, "output": output})
                                if keywords else ((ctx, tuple(inputs), output), {}))

    def backward(self, ctx, *grads):
        operator = self._operator
        if operator._backward is None:
            raise NotImplementedError(f"{operator.qualified_name}: no derivative is registered: register_autograd adds one")
        given = [list(grads)] if operator.schema.results is None else grads
        results = operator._guarded(operator._backward, "backward", ((ctx, *given), {}))
        positional = [p for p in operator.schema.parameters if not p.keyword_only]
        results = list(results) if isinstance(results, tuple) or isinstance(results, list) and len(positional) > 1 else [results]
        if len(results) != len(positional):
            raise RuntimeError(f"{operator.qualified_name}: its backward gave {len(results)} gradients for {len(positional)} parameters")
        return tuple(self._flat(positional, results)) + (None,) * (len(operator.schema.parameters) - len(positional))

    def _flat(self, parameters, results):
        if self._lengths is None:
            return results
        flat: list[Any] = []
        for p, n, result in zip(parameters, self._lengths, results):
            if n is None:
                flat.append(result)
                continue
            each = [None] * n if result is None else list(result)
            if len(each) != n:
                raise RuntimeError(f"{self._operator.qualified_name}: its backward gave {len(each)} gradients for the {n} Tensors of '{p.name}'")
            flat += each
        return flat


class NumPyOperator:
    """The version of an operator in `torch_np.numpy._ops`: it accepts ndarrays, lists and numbers,
    and returns ndarrays.
    """

    def __init__(self, operator: CustomOpDef) -> None:
        self._operator = operator
        self.__name__, self.__doc__, self.__signature__ = operator.__name__, operator.__doc__, operator.schema.numpys_signature
        self.__module__, self.__wrapped__ = operator.__module__, operator

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._operator._call(args, kwargs, True)

    def __get__(self, instance: object, owner: type | None = None) -> NumPyOperator:
        return self

    def __repr__(self) -> str:
        return f"<operator {self._operator.qualified_name}{self._operator.schema} of arrays>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _registry.found_numpy, (self._operator.qualified_name,)


def _device_types(name: str, given: str | Sequence[str] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    types = (given,) if isinstance(given, str) else tuple(given)
    for t in types:
        if t not in _DEVICES:
            raise ValueError(f"{name}: {t!r} is not a type of device: expected 'cpu' or 'cuda'")
    return types


@overload
def custom_op(name: str, function: None = None, /, *, mutates_args: str | Sequence[str] = (),
              device_types: str | Sequence[str] | None = None, schema: str | None = None,
              tags: Any = None) -> Callable[[_Function], CustomOpDef]: ...
@overload
def custom_op(name: str, function: _Function, /, *, mutates_args: str | Sequence[str] = (),
              device_types: str | Sequence[str] | None = None, schema: str | None = None, tags: Any = None) -> CustomOpDef: ...
def custom_op(name: str, function: _Function | None = None, /, *, mutates_args: str | Sequence[str] = (),
              device_types: str | Sequence[str] | None = None, schema: str | None = None, tags: Any = None) -> Any:
    """Makes an operator from a Python function. It is a decorator with the interface of
    torch.library.custom_op.

        @torch_np.library.custom_op("mylib::sigmoid")
        def sigmoid(x: Tensor) -> Tensor:
            return torch_np.from_numpy(1 / (1 + numpy.exp(-x.numpy())))

        @sigmoid.register_fake
        def _(x):
            return torch_np.empty_like(x)

        sigmoid.register_autograd(lambda ctx, grad: grad * ctx.y * (1 - ctx.y),
                                  setup_context=lambda ctx, inputs, output: setattr(ctx, "y",
                                  output.detach()))

    The function runs without recording, and must return new Tensors: neither arguments nor views of
    them. Its annotations describe the parameters (Tensor, ndarray, int, float, bool, str, lists of
    these, and `| None`) and the results (a Tensor, a tuple of them, list[Tensor] or None).

    Args:
      name: 'namespace::name'.
      function: The function; None returns a decorator.
      mutates_args: Names of the Tensors that the function changes in place.
      device_types: Device types that the function supports: 'cpu', 'cuda' or both; None is both.
      schema: Description of parameters and results in place of annotations, in the syntax of
        native_functions.yaml: "(Tensor x, *, float alpha=1.0) -> Tensor".
      tags: Have no effect on results.

    Errors: ValueError for an invalid or registered `name`, and for parameters that an operator
    cannot have.
    """
    _registry.check_name(name)
    devices = _device_types(name, device_types)

    def make(function: _Function) -> CustomOpDef:
        if schema is None:
            described = from_function(function, name, mutates_args)
        else:
            described = from_text(schema, name)
            _check_names(name, function, described.parameters)
        made = CustomOpDef(name, function, described, devices)
        _registry.add([made], may_replace=True)
        return made

    return make if function is None else make(function)


def _check_names(name: str, function: _Function, parameters: tuple[Parameter, ...]) -> None:
    try:
        inspect.signature(function).bind(*[None for p in parameters if not p.keyword_only],
                                         **{p.name: None for p in parameters if p.keyword_only})
    except TypeError as error:
        raise ValueError(f"{name}: the function does not accept the arguments of its schema: {error}") from None
