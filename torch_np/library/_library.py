"""`Library`: operators that are declared by a schema first, and get their functions later."""
from __future__ import annotations

import contextlib
import re
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch_np import _C, _registry
from torch_np.library._custom_op import CustomOpDef
from torch_np.library._schema import from_text

_Function = Callable[..., Any]
_PLACES = {"CPU": ("cpu",), "CUDA": ("cuda",), "CompositeExplicitAutograd": ("cpu", "cuda"), "CompositeExplicitAutogradNonFunctional": ("cpu", "cuda")}
_WHOLE = ("", "CompositeImplicitAutograd")
_AUTOGRAD = ("Autograd", "AutogradCPU", "AutogradCUDA")
# Backends that no tensor here has: their functions would never be called.
_OTHERS = re.compile(r"(Autograd|Autocast|Quantized|Sparse|SparseCsr|NestedTensor)?(CPU|CUDA|XPU|MPS|HPU|XLA|MTIA|IPU|VE|Lazy|Vulkan|Metal|Mkldnn\w*|"
                     r"PrivateUse[123]|NestedTensor)|Autocast")
fakes: dict[str, _Function] = {}  # of operators that are not defined yet
_kinds = ("DEF", "IMPL", "FRAGMENT")
_owned: dict[str, weakref.ref[Any]] = {}


class _Running(threading.local):
    """Operators whose Autograd function runs in this thread."""

    def __init__(self) -> None:
        self.names: set[str] = set()


_running = _Running()


def _missing(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("the operator has no function")


class DefinedOp(CustomOpDef):
    """An operator that was declared by a schema. Without a derivative of its own, gradients are
    those of the operators that its function calls.
    """

    def __init__(self, qualified_name: str, text: str, origin: str) -> None:
        super().__init__(qualified_name, _missing, from_text(_plain(text), qualified_name), ())
        self.__qualname__, self.__module__, self.__doc__ = self.__name__, "torch_np.ops", f"{qualified_name}{text}"
        self.origin, self._text = origin, text
        self._whole: _Function | None = None
        self._above: _Function | None = None

    def implement(self, key: str, function: _Function) -> None:
        """Registers a function for a dispatch key. Errors: NotImplementedError for a key that has
        no meaning here.
        """
        if key in _WHOLE:
            self._whole = function
        elif key in _AUTOGRAD:
            self._above = function
        elif key == "Meta":
            self._fake = function
        elif key in _PLACES:
            self._kernels.update(dict.fromkeys(_PLACES[key], function))
            if key.startswith("CompositeExplicit") and self._fake is None:
                self._fake = function
        elif not _OTHERS.fullmatch(key):
            raise NotImplementedError(f"{self.qualified_name}: functions for the dispatch key '{key}' are never called here; use 'CPU', 'CUDA', "
                                      "'Meta', 'Autograd' or 'CompositeImplicitAutograd'")

    def _call(self, args: Any, kwargs: Any, numpy_face: Any) -> Any:
        above = self._above if self.qualified_name not in _running.names else None
        function = self._whole if above is None else above
        if function is None and (self._backward is not None or _C._is_observed()):
            return super()._call(args, kwargs, numpy_face)
        args = self.schema.bind(self.qualified_name, args, self.schema.named(kwargs))
        values, tensors = [], []
        for p, v in zip(self.schema.parameters, args, strict=True):
            if v is None or p.kind != "Tensor":
                if v is None and p.kind == "Tensor" and not p.optional:
                    raise self._no_tensor(p, v)
                values.append(v if p.kind == "Tensor" else p.read(v, self.qualified_name))
                continue
            found = [self._tensor(p, t, numpy_face) if t is not None else None for t in (v if p.several else [v])]
            numpy_face = numpy_face or any(_C._is_ndarray(t) for t in (v if p.several else [v]))
            tensors += [t for t in found if t is not None]
            values.append(found if p.several else found[0])
        if function is None:
            function = self._kernel(tensors)[0] if tensors else (self._kernels.get("cpu") or _missing)
        assert function is not None
        named = self._as_annotated(values)
        if above is None:
            results = function(*named[0], **named[1])
        else:
            _running.names.add(self.qualified_name)
            try:
                results = function(*named[0], **named[1])
            finally:
                _running.names.discard(self.qualified_name)
        return _as_numpy(results) if numpy_face else results


def _as_numpy(results):
    if isinstance(results, (tuple, list)):
        return type(results)(_as_numpy(r) for r in results)
    return results._np_compat() if isinstance(results, _C.Tensor) else results


def _plain(text: str) -> str:
    """A schema of PyTorch's in the syntax of native_functions.yaml."""
    head, arrow, results = text.rpartition("->")
    head = re.sub(r"\bSymInt\b", "int", head)
    head = re.sub(r"\b(Tensor)\((\w+)\)", r"\1", head)            # Tensor(a): a view
    head = re.sub(r"\((\w+) -> \*\)", "", head)
    head = re.sub(r"\b(Tensor|int|float|bool|str|Scalar)(\(\w+!\))?\[\d+\]", r"\1\2[]", head)
    results = re.sub(r"Tensor\(\w+!?\)", "Tensor", results)
    return head + arrow + results


def split_schema(namespace: str, schema: str) -> tuple[str, str]:
    """The name and the rest of 'name(Tensor x) -> Tensor'. Errors: ValueError for another
    namespace; NotImplementedError for an overload.
    """
    name, bracket, rest = schema.partition("(")
    name = name.strip()
    if "::" in name:
        space, _, name = name.partition("::")
        if space != namespace:
            raise ValueError(f"Library.define(): '{schema}' is of the namespace '{space}', not '{namespace}'")
    name = name.removesuffix(".default")
    if "." in name:
        raise NotImplementedError(f"Library.define(): '{name}' is an overload; operators have one schema, so give it a name of its own")
    return name, bracket + rest


class Library:
    """Operators of a namespace that are declared by schemas, and functions for them.

        lib = torch_np.library.Library("mylib", "DEF")
        lib.define("scale(Tensor x, float by=2.0) -> Tensor")
        lib.impl("scale", lambda x, by=2.0: x * by, "CPU")
        torch_np.ops.mylib.scale(torch_np.ones(3))

    Args:
      ns: The namespace.
      kind: 'DEF' or 'FRAGMENT' for a library that declares operators, 'IMPL' for one that only
        implements them.
      dispatch_key: Default of `impl`.

    Errors: ValueError for another `kind`; RuntimeError for a second 'DEF' of a namespace.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in _kinds:
            raise ValueError(f"Unsupported kind: {kind}")
        if kind == "DEF":
            held = _owned.get(ns)
            if held is not None and held() is not None:
                raise RuntimeError(f"Only a single Library of the kind 'DEF' can be used to register the namespace {ns}; use 'FRAGMENT' to "
                                   "declare its operators in several places, and 'IMPL' to implement them")
            _owned[ns] = weakref.ref(self)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._defined: list[str] = []

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declares an operator, and returns its name.

        Args:
          schema: 'name(Tensor x, int n=2) -> Tensor'.
          alias_analysis: Has no effect on results.
          tags: Have no effect on results.

        Errors: RuntimeError for a library of the kind 'IMPL'; ValueError for an invalid schema, and
        for an operator that exists.
        """
        if self.kind == "IMPL":
            raise RuntimeError(f"Library.define(): cannot define an operator in a library of the kind 'IMPL': {schema}")
        name, rest = split_schema(self.ns, schema)
        define_operator(f"{self.ns}::{name}", rest, f"Library('{self.ns}', '{self.kind}')")
        self._defined.append(f"{self.ns}::{name}")
        return name

    def impl(self, op_name: Any, fn: _Function, dispatch_key: str = "", *, with_keyset: bool = False, allow_override: bool = True) -> None:
        """Registers the function of an operator for a dispatch key.

        Args:
          op_name: Name of the operator, or the operator.
          fn: The function.
          dispatch_key: 'CPU', 'CUDA', 'Meta', 'Autograd', 'CompositeExplicitAutograd', or
            'CompositeImplicitAutograd' for all; empty for that of the library. Functions for other
            backends are accepted, and never called.
          with_keyset: Only False.
          allow_override: Has no effect: a later function replaces an earlier one.

        Errors: LookupError for an operator that is not defined; TypeError unless `fn` is a
        function; NotImplementedError for `with_keyset`, for another key, and for operators of
        torch_np.
        """
        if with_keyset:
            raise NotImplementedError("Library.impl(): functions do not receive sets of dispatch keys; with_keyset must be False")
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        name = op_name if isinstance(op_name, str) else op_name.name()
        name = name.removesuffix(".default")
        found_operator(name if "::" in name else f"{self.ns}::{name}").implement(dispatch_key or self.dispatch_key, fn)

    def fallback(self, fn: _Function, dispatch_key: str = "", *, with_keyset: bool = False) -> None:
        """Raises NotImplementedError: operators have no function for all of them. Errors:
        NotImplementedError.
        """
        raise NotImplementedError("Library.fallback(): a function for all operators is not implemented; use torch_np.overrides.TorchFunctionMode")

    def _destroy(self) -> None:
        """Removes the operators that this library declared."""
        _registry.remove(self._defined)
        self._defined = []
        if _owned.get(self.ns) is not None and _owned[self.ns]() is self:
            del _owned[self.ns]

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *exception: object) -> None:
        self._destroy()

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})"


@contextlib.contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A `Library` for the body of a `with` statement. Its operators are removed at the end.

    Args:
      args: Arguments of Library.
      kwargs: Arguments of Library by keyword.
    """
    with Library(*args, **kwargs) as library:
        yield library


def define_operator(qualified_name: str, schema: str, origin: str) -> DefinedOp:
    """Makes and registers an operator of a schema. Errors: ValueError."""
    _registry.check_name(qualified_name)
    made = DefinedOp(qualified_name, schema, origin)
    if qualified_name in fakes:
        made._fake = fakes.pop(qualified_name)
    _registry.add([made])
    return made


def found_operator(qualified_name: str) -> DefinedOp:
    """The operator that `define` declared. Errors: LookupError, NotImplementedError for operators
    that were made in another way.
    """
    if qualified_name.startswith(("aten::", "prims::", "prim::")):
        raise NotImplementedError(f"{qualified_name}: functions of torch_np cannot be replaced; use torch_np.overrides.TorchFunctionMode")
    found = _registry.found(qualified_name)
    if not isinstance(found, DefinedOp):
        raise NotImplementedError(f"{qualified_name}: the operator was not made by Library.define; use its register_kernel")
    return found


def device_keys(types: str | Sequence[str]) -> list[str]:
    """Dispatch keys for types of devices, or keys themselves."""
    known = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "default": "CompositeExplicitAutograd", "xpu": "XPU", "mps": "MPS", "hpu": "HPU"}
    return [known.get(t, t) for t in ([types] if isinstance(types, str) else types)]
