"""Embedding layers, which select rows of a table."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter
# Names that layers of packages import from here.
from torch_np.nn import init as init

__all__ = ["Embedding", "EmbeddingBag"]


class Embedding(Module):
    """Selects rows of a learnt table `weight` (num_embeddings, embedding_dim).

    Args:
      num_embeddings: number of rows
      embedding_dim: number of columns
      padding_idx: row that is initialised to zero and gets no gradient
      max_norm: norm to which the selected rows are scaled down first, in place
      norm_type: order of that norm
      scale_grad_by_freq: divide gradients by the number of times that a row is selected
      sparse: give `weight` a sparse COO tensor as its gradient
      _weight: initial table
      _freeze: do not train the table
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: AssertionError for a `padding_idx` out of range.
    """

    weight: Parameter

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
                 norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None,
                 _freeze: bool = False, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = _padding(padding_idx, num_embeddings)
        self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse = max_norm, norm_type, scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = Parameter(_C._torch.empty((num_embeddings, embedding_dim), device=device, dtype=dtype), not _freeze)
            self.reset_parameters()
        else:
            _check_shape(_weight, num_embeddings, embedding_dim)
            self.weight = Parameter(_weight, not _freeze)

    def reset_parameters(self) -> None:
        """Fills the table with random numbers from the standard normal distribution."""
        from torch_np.nn import init
        init.normal_(self.weight)
        _zero_row(self.weight, self.padding_idx)

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: integers (...); the result is (..., embedding_dim)."""
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text + _options(self, ("max_norm", None), ("norm_type", 2), ("scale_grad_by_freq", False), ("sparse", False))

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, max_norm: float | None = None,
                        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Embedding:
        """An Embedding with a given table.

        Args:
          embeddings: the table
          freeze: do not train the table
          padding_idx: row that gets no gradient
          max_norm: norm to which the selected rows are scaled down first, in place
          norm_type: order of that norm
          scale_grad_by_freq: divide gradients by the number of times that a row is selected
          sparse: give `weight` a sparse COO tensor as its gradient

        Shapes: `embeddings` (rows, columns).
        Errors: AssertionError if `embeddings` is not a matrix.
        """
        _check_table(embeddings)
        rows, columns = embeddings.shape
        return cls(rows, columns, _weight=embeddings, _freeze=freeze, padding_idx=padding_idx, max_norm=max_norm, norm_type=norm_type,
                   scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


def _padding(index, rows):
    if index is None:
        return None
    if not -rows <= index < rows:
        raise AssertionError("padding_idx must be within num_embeddings")
    return index % rows


def _check_shape(weight, rows, columns):
    if list(weight.shape) != [rows, columns]:
        raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")


def _check_table(embeddings):
    if embeddings.dim() != 2:
        raise AssertionError("Embeddings parameter is expected to be 2-dimensional")


def _zero_row(weight, index):
    if index is not None:
        from torch_np.autograd import no_grad
        with no_grad():
            weight[index].fill_(0)


def _options(module, *pairs):
    return "".join(f", {name}={getattr(module, name)}" for name, usual in pairs if getattr(module, name) != usual)


class EmbeddingBag(Module):
    """Sums, means or maxima of bags of rows of a learnt table `weight` (num_embeddings,
    embedding_dim).

    Args:
      num_embeddings: number of rows
      embedding_dim: number of columns
      max_norm: norm to which the selected rows are scaled down first, in place
      norm_type: order of that norm
      scale_grad_by_freq: divide gradients by the number of times that a row is selected
      mode: "sum", "mean" or "max"
      sparse: give `weight` a sparse COO tensor as its gradient
      _weight: initial table
      include_last_offset: the last offset is the end of the last bag
      padding_idx: row that is initialised to zero and left out
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: AssertionError for a `padding_idx` out of range.
    """

    weight: Parameter

    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
                 scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Tensor | None = None,
                 include_last_offset: bool = False, padding_idx: int | None = None, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = _padding(padding_idx, num_embeddings)
        self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse = max_norm, norm_type, scale_grad_by_freq, sparse
        self.mode, self.include_last_offset = mode, include_last_offset
        if _weight is None:
            self.weight = Parameter(_C._torch.empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
            self.reset_parameters()
        else:
            _check_shape(_weight, num_embeddings, embedding_dim)
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        """Fills the table with random numbers from the standard normal distribution."""
        from torch_np.nn import init
        init.normal_(self.weight)
        _zero_row(self.weight, self.padding_idx)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """Shapes: (B, N), or (N,) with `offsets` (B,), the start of each bag; the result is (B,
        embedding_dim).
        """
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse,
                               per_sample_weights, self.include_last_offset, self.padding_idx)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}" + _options(self, ("max_norm", None), ("norm_type", 2), ("scale_grad_by_freq", False))
        text += f", mode={self.mode!r}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return text

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0,
                        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, include_last_offset: bool = False,
                        padding_idx: int | None = None) -> EmbeddingBag:
        """An EmbeddingBag with a given table.

        Args:
          embeddings: the table
          freeze: do not train the table
          max_norm: norm to which the selected rows are scaled down first, in place
          norm_type: order of that norm
          scale_grad_by_freq: divide gradients by the number of times that a row is selected
          mode: "sum", "mean" or "max"
          sparse: give `weight` a sparse COO tensor as its gradient
          include_last_offset: the last offset is the end of the last bag
          padding_idx: row that is left out

        Shapes: `embeddings` (rows, columns).
        Errors: AssertionError if `embeddings` is not a matrix.
        """
        _check_table(embeddings)
        rows, columns = embeddings.shape
        made = cls(rows, columns, _weight=embeddings, max_norm=max_norm, norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq,
                   mode=mode, sparse=sparse, include_last_offset=include_last_offset, padding_idx=padding_idx)
        made.weight.requires_grad = not freeze
        return made
