# Generated from native_functions.yaml.
from _typeshed import structseq
from typing import Final, final

from torch_np._C import Tensor

@final
class chosen(structseq[Tensor], tuple[Tensor, Tensor]):
    __match_args__: Final = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

@final
class nn_functional_normalized(structseq[Tensor], tuple[Tensor, Tensor]):
    __match_args__: Final = ("values", "norm")
    @property
    def values(self) -> Tensor: ...
    @property
    def norm(self) -> Tensor: ...

