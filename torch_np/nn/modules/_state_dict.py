"""A module's state: saves and loads its parameters and persistent buffers by name."""
from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from torch_np import _C, _public_names
from torch_np.__future__ import get_swap_module_params_on_conversion
from torch_np._C import Tensor
from torch_np.autograd import no_grad
from torch_np.nn.modules._hooks import Hooks, RemovableHandle
from torch_np.nn.parameter import Parameter, is_lazy
from torch_np.utils._tools import swap_tensors

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The result of load_state_dict: names missing from the state, and names unknown to the module.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


def _swap_loaded(tensor: Tensor, value: Tensor, assign: bool) -> None:
    """Exchanges a tensor of a module with the one that `tensor.module_load` makes of a saved value."""
    made = tensor.module_load(value, assign=assign)
    if made is tensor or made is value:
        raise RuntimeError("module_load returned one of self or other, please .detach() the result if returning one of the inputs in module_load")
    if isinstance(tensor, Parameter) and not isinstance(made, Parameter):
        made = Parameter(made, tensor.requires_grad)
    elif isinstance(tensor, Parameter):
        made.requires_grad_(tensor.requires_grad)
    swap_tensors(tensor, made)


class StateDict:
    """The base class of Module that saves and loads its state."""

    _version: int = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: Hooks
    _state_dict_pre_hooks: Hooks
    _load_state_dict_pre_hooks: Hooks
    _load_state_dict_post_hooks: Hooks

    def get_extra_state(self) -> Any:
        """Extra state to save in the state_dict under the name `_extra_state`; classes override it
        together with `set_extra_state`.

        Errors: RuntimeError if the class does not override it.
        """
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state: Any) -> None:
        """Restores the extra state returned by `get_extra_state`; classes override both.

        Errors: RuntimeError if the class does not override it.
        """
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called.")

    def _has_extra_state(self, what: str) -> bool:
        return getattr(type(self), what) is not getattr(StateDict, what)

    # --------------------------------------------------------------------------------------- saving

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """The parameters and persistent buffers of this module and its submodules, as an
        OrderedDict by dotted names.

        The tensors share the module's memory.

        Args:
          args: deprecated; the arguments by position
          destination: dictionary to which the tensors are added
          prefix: prefix of each name
          keep_vars: keep the parameters themselves instead of detached tensors
        """
        if args:  # PyTorch's older positional form
            given: list[Any] = [*args, *[destination, prefix, keep_vars][len(args):]]
            destination, prefix, keep_vars = given
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, local)
            destination = destination if replaced is None else replaced
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Saves the tensors of this module without its submodules; classes may override it."""
        for name, t in self._parameters.items():
            if t is not None:
                destination[prefix + name] = t if keep_vars else t.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if self._has_extra_state("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers `hook(module, state_dict, prefix, local_metadata)`, which is called at the end
        of `state_dict()` and may change the state_dict in place.

        Args:
          hook: the function

        Errors: RuntimeError, when `state_dict()` is called, if the hook returns a value.
        """
        def without_result(*args: Any) -> None:
            if hook(*args) is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return self._state_dict_hooks.add(without_result)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        return self._state_dict_hooks.add(hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers `hook(module, prefix, keep_vars)`, which is called at the start of
        `state_dict()`.

        Args:
          hook: the function
        """
        return self._state_dict_pre_hooks.add(hook)

    # -------------------------------------------------------------------------------------- loading

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Copies a saved state into this module and its submodules.

        Returns the missing and the unexpected names.

        Args:
          state_dict: result of `state_dict()`
          strict: raise for missing and unexpected names
          assign: replace the module's tensors instead of copying into them

        Errors: TypeError if `state_dict` is not a mapping; RuntimeError for tensors whose shape
        differs from the module's and, if `strict`, for missing and unexpected names.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        given: Any = OrderedDict(state_dict)
        if metadata is not None:
            given._metadata = metadata
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        self._load_all(given, "", metadata, assign, missing, unexpected, errors)
        if strict and unexpected:
            errors.insert(0, "Unexpected key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in unexpected)))
        if strict and missing:
            errors.insert(0, "Missing key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in missing)))
        if errors:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(type(self).__name__, "\n\t".join(errors)))
        return _IncompatibleKeys(missing, unexpected)

    def _load_all(self, state, prefix, metadata, assign, missing, unexpected, errors):
        local = {} if metadata is None else dict(metadata.get(prefix[:-1], {}))
        if assign:
            local["assign_to_params_buffers"] = True
        # strict=True lists all differences. load_state_dict decides whether they raise.
        self._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}{name}."
                module._load_all(OrderedDict((k, v) for k, v in state.items() if k.startswith(below)), below, metadata, assign, missing,
                                 unexpected, errors)
        keys = _IncompatibleKeys(missing, unexpected)
        for hook in self._load_state_dict_post_hooks.values():
            if hook(self, keys) is not None:
                raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                                     "if incompatible_keys need to be modified, it should be done inplace.")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
                              unexpected_keys: list[str], error_msgs: list[str]) -> None:
        """Loads the tensors of this module without its submodules, and appends to `missing_keys`,
        `unexpected_keys` and `error_msgs`; classes may override it.
        """
        for number, hook in self._load_state_dict_pre_hooks.items():
            arguments = (state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
            hook(*((self, *arguments) if self._load_state_dict_pre_hooks.has(number, "with_module") else arguments))
        buffers = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        own = {k: v for k, v in [*self._parameters.items(), *buffers.items()] if v is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                self._load_tensor(name, key, tensor, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra = prefix + _EXTRA_STATE_KEY_SUFFIX
        if self._has_extra_state("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    first, *rest = key[len(prefix):].split(".", 1)
                    if (first not in self._modules if rest else first not in own):
                        unexpected_keys.append(key)

    def _load_tensor(self, name, key, tensor, value, assign, errors):
        if _C._is_ndarray(value):
            value = value._torch()
        if not isinstance(value, Tensor):
            errors.append(f'While copying the parameter named "{key}", expected {_public_names.public}.Tensor or Tensor-like object from checkpoint but '
                          f"received {type(value)}")
            return
        if is_lazy(tensor):
            if not is_lazy(value):
                errors.append(f'While copying the parameter named "{key}", the module has an uninitialized parameter, which only a lazy module '
                              "can load.")
            return
        if is_lazy(value):
            value.shape  # raises
        if tensor.dim() == 0 and value.shape == (1,):  # from PyTorch versions without 0-d tensors
            value = value[0]
        if value.shape != tensor.shape:
            errors.append(f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in current model is "
                          f"{tensor.shape}.")
            return
        if tensor.device.type == "meta" and value.device.type != "meta" and not assign:
            warnings.warn(f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a "
                          "no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in the "
                          "module instead of copying them in place?)", stacklevel=2)
        try:
            with no_grad():
                if get_swap_module_params_on_conversion():
                    _swap_loaded(tensor, value, assign)
                elif not assign:
                    tensor.copy_(value)
                elif isinstance(tensor, Parameter):
                    setattr(self, name, value if isinstance(value, Parameter) else Parameter(value, tensor.requires_grad))
                else:
                    setattr(self, name, value)
        except Exception as e:
            errors.append(f'While copying the parameter named "{key}", whose dimensions in the model are {tensor.size()} and whose dimensions '
                          f"in the checkpoint are {value.size()}, an exception occurred : {e.args}.")

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers `hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)`, which is called before this module's tensors are loaded.

        Args:
          hook: the function
        """
        return self._load_state_dict_pre_hooks.add(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any], with_module: bool = False) -> RemovableHandle:
        return self._load_state_dict_pre_hooks.add(hook, with_module=with_module)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers `hook(module, incompatible_keys)`, which is called after this module and its
        submodules are loaded and may change the lists of missing and unexpected names.

        Args:
          hook: the function
        """
        return self._load_state_dict_post_hooks.add(hook)
