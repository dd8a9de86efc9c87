"""BlockMask: the blocks of queries and keys that attention computes, and a function for the pairs
within them.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._C import Tensor

_t = _C._torch
MaskFunction = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """The mask function that keeps all pairs.

    Args:
      batch: index of the sequence
      head: index of the head
      token_q: index of the query
      token_kv: index of the key

    Shapes: ().
    """
    return batch.new_ones((), dtype=_C.bool)


def indices(batch: int, heads: int, queries: int, keys: int, device: Any = None) -> list[Tensor]:
    """The indices of all scores, as four tensors that broadcast to (batch, heads, queries, keys)."""
    shape = (batch, heads, queries, keys)
    return [_t.arange(n, device=device).view([n if d == axis else 1 for d in range(4)]) for axis, n in enumerate(shape)]


def _pair(size: Any) -> tuple[int, int]:
    q, kv = (size, size) if isinstance(size, int) else size
    return q, kv


def _blocks(mask: Tensor, size: tuple[int, int]) -> tuple[Tensor, Tensor]:
    """The blocks of a mask that are kept in part, and those that are kept entirely, as int32 of
    zeros and ones. A block beyond the end of the mask is not kept entirely.
    """
    from torch_np.nn import functional as F
    q, kv = size
    padded = F.pad(mask.to(_C.int32), (0, -mask.shape[-1] % kv, 0, -mask.shape[-2] % q))
    b, h, rows, columns = padded.shape
    counts = padded.view(b, h, rows // q, q, columns // kv, kv).sum([3, 5])
    full = counts == q * kv
    return ((counts > 0) & ~full).to(_C.int32), full.to(_C.int32)


def _ordered(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """The number of kept blocks in each row, and the indices of all blocks, the kept ones first."""
    return blocks.sum(-1).to(_C.int32), _t.argsort(blocks, dim=-1, descending=True, stable=True).to(_C.int32)


def _dense(numbers: Tensor, order: Tensor) -> Tensor:
    """The inverse of _ordered(): int32 of zeros and ones."""
    kept = _t.arange(order.shape[-1], device=order.device) < numbers.unsqueeze(-1)
    return _t.zeros(order.shape, dtype=_C.int32, device=order.device).scatter_(-1, order.to(_C.int64), kept.to(_C.int32))


class BlockMask:
    """The blocks of scores that `flex_attention` keeps, and a mask function for the pairs within
    those that are kept in part. `create_block_mask` makes it.

    Args:
      seq_lengths: number of queries and of keys
      kv_num_blocks: number of blocks kept in part, for each block of queries
      kv_indices: their indices; the first `kv_num_blocks` of each row count
      full_kv_num_blocks: number of blocks kept entirely, or None
      full_kv_indices: their indices, or None
      q_num_blocks: as `kv_num_blocks`, for each block of keys
      q_indices: as `kv_indices`, for each block of keys
      full_q_num_blocks: as `full_kv_num_blocks`, for each block of keys
      full_q_indices: as `full_kv_indices`, for each block of keys
      BLOCK_SIZE: queries and keys of a block
      mask_mod: the mask function
      orders: PyTorch's orders of writing gradients, which are not used

    Shapes: numbers (B, H, rows), indices (B, H, rows, columns).
    Errors: RuntimeError for `kv_indices` of fewer than two dimensions.
    """

    def __init__(self, seq_lengths: tuple[int, int], kv_num_blocks: Tensor, kv_indices: Tensor, full_kv_num_blocks: Tensor | None,
                 full_kv_indices: Tensor | None, q_num_blocks: Tensor | None = None, q_indices: Tensor | None = None,
                 full_q_num_blocks: Tensor | None = None, full_q_indices: Tensor | None = None, BLOCK_SIZE: Any = (128, 128),
                 mask_mod: MaskFunction = noop_mask, **orders: Any) -> None:
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = tuple(seq_lengths), _pair(BLOCK_SIZE), mask_mod
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices

    @classmethod
    def from_kv_blocks(cls, kv_num_blocks: Tensor, kv_indices: Tensor, full_kv_num_blocks: Tensor | None = None,
                       full_kv_indices: Tensor | None = None, BLOCK_SIZE: Any = 128, mask_mod: MaskFunction | None = None,
                       seq_lengths: tuple[int, int] | None = None, compute_q_blocks: bool = True) -> BlockMask:
        """Makes a mask from the blocks of each block of queries.

        Args:
          kv_num_blocks: number of blocks kept in part
          kv_indices: their indices
          full_kv_num_blocks: number of blocks kept entirely, or None
          full_kv_indices: their indices, or None
          BLOCK_SIZE: queries and keys of a block
          mask_mod: the mask function; None keeps all pairs
          seq_lengths: number of queries and of keys; None is that of whole blocks
          compute_q_blocks: find the blocks of each block of keys, too

        Shapes: numbers (B, H, rows), indices (B, H, rows, columns).
        """
        size = _pair(BLOCK_SIZE)
        if seq_lengths is None:
            seq_lengths = kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1]
        of_keys: tuple[Tensor | None, Tensor | None] = (None, None)
        full_of_keys = of_keys
        if compute_q_blocks:
            of_keys = _ordered(_dense(kv_num_blocks, kv_indices).transpose(-2, -1).contiguous())
            if full_kv_num_blocks is not None and full_kv_indices is not None:
                full_of_keys = _ordered(_dense(full_kv_num_blocks, full_kv_indices).transpose(-2, -1).contiguous())
        return cls(seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *of_keys, *full_of_keys,
                   BLOCK_SIZE=size, mask_mod=noop_mask if mask_mod is None else mask_mod)

    _TENSORS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices", "full_q_num_blocks",
                "full_q_indices")

    def _with(self, change: Callable[[Tensor], Tensor], **others: Any) -> BlockMask:
        made: dict[str, Any] = {"seq_lengths": self.seq_lengths, "BLOCK_SIZE": self.BLOCK_SIZE, "mask_mod": self.mask_mod, **others}
        tensors = {name: getattr(self, name) for name in self._TENSORS}
        made.update((name, None if t is None else change(t)) for name, t in tensors.items())
        return BlockMask(**made)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes (B, H, queries, keys)."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """The number of scores."""
        count = 1
        for n in self.shape:
            count *= n
        return count

    def sparsity(self) -> float:
        """The percentage of blocks that are not computed."""
        kept = int(self.kv_num_blocks.sum())
        if self.full_kv_num_blocks is not None:
            kept += int(self.full_kv_num_blocks.sum())
        blocks = self.kv_num_blocks.numel() * -(-self.seq_lengths[1] // self.BLOCK_SIZE[1])
        return 100 * (1 - kept / blocks)

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """The arguments of the constructor.

        Args:
          flatten: put the lengths and the sizes of blocks into the tuple itself
        """
        tensors = tuple(getattr(self, name) for name in self._TENSORS)
        if flatten:
            return (*self.seq_lengths, *tensors, *self.BLOCK_SIZE, self.mask_mod)
        return (self.seq_lengths, *tensors, self.BLOCK_SIZE, self.mask_mod)

    def to_dense(self) -> Tensor:
        """The kept blocks as int32 of zeros and ones.

        Shapes: (B, H, rows, columns).
        """
        kept = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is not None and self.full_kv_indices is not None:
            kept = kept | _dense(self.full_kv_num_blocks, self.full_kv_indices)
        return kept

    def to(self, device: Any) -> BlockMask:
        """The mask on another device.

        Args:
          device: the device
        """
        return self._with(lambda t: t.to(device))

    def __getitem__(self, index: Any) -> BlockMask:
        key = index if isinstance(index, tuple) else (index,)
        key = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in key)
        if len(key) > 2:
            raise NotImplementedError("BlockMask[...]: only sequences and heads can be indexed; make a mask of other lengths with "
                                      "create_block_mask")
        return self._with(lambda t: t[key])

    def allowed(self, batch: int, heads: int, queries: int, keys: int, device: Any) -> Tensor:
        """The pairs of queries and keys that attention keeps, as bools.

        Shapes: broadcasts to (batch, heads, queries, keys).
        """
        def elements(blocks: Tensor) -> Tensor:
            q, kv = self.BLOCK_SIZE
            return blocks.to(_C.bool).repeat_interleave(q, -2).repeat_interleave(kv, -1)[..., :queries, :keys]

        pairs = self.mask_mod(*indices(batch, heads, queries, keys, device))
        result = elements(_dense(self.kv_num_blocks, self.kv_indices)) & pairs
        if self.full_kv_num_blocks is not None and self.full_kv_indices is not None:
            result = result | elements(_dense(self.full_kv_num_blocks, self.full_kv_indices))
        return result

    def __repr__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%)"


def create_mask(mod_fn: Callable[..., Tensor], B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None) -> Tensor:
    """The mask of a function as a tensor of bools; of a function of scores, the scores of zeros.

    Args:
      mod_fn: function (b, h, q_idx, kv_idx) of pairs, or (score, b, h, q_idx, kv_idx) of scores
      B: number of sequences; None is 1
      H: number of heads; None is 1
      Q_LEN: number of queries
      KV_LEN: number of keys
      device: the device

    Shapes: (B, H, Q_LEN, KV_LEN).
    Errors: AssertionError for functions of other numbers of arguments.
    """
    b, h = B or 1, H or 1
    count = sum(p.default is inspect.Parameter.empty for p in inspect.signature(mod_fn).parameters.values())
    at = indices(b, h, Q_LEN, KV_LEN, device)
    if count == 5:
        scores = _t.zeros(b, h, Q_LEN, KV_LEN, device=device)
        return mod_fn(scores, *at).expand(b, h, Q_LEN, KV_LEN)
    if count == 4:
        return mod_fn(*at).expand(b, h, Q_LEN, KV_LEN)
    raise AssertionError("create_mask(): mod_fn takes 4 arguments (of pairs) or 5 (of scores)")


def create_block_mask(mask_mod: MaskFunction, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None, BLOCK_SIZE: Any = 128,
                      _compile: bool = False, separate_full_blocks: bool = True, compute_dq_write_order: bool = False,
                      dq_kv_order: bool = True) -> BlockMask:
    """Makes the mask of a function.

    Args:
      mask_mod: function (b, h, q_idx, kv_idx) of tensors of indices that broadcast, to bools that
        are True for pairs to keep
      B: number of sequences; None is 1, for all of them
      H: number of heads; None is 1, for all of them
      Q_LEN: number of queries
      KV_LEN: number of keys
      device: the device
      BLOCK_SIZE: queries and keys of a block
      separate_full_blocks: distinguish blocks that are kept entirely
      compute_dq_write_order: a hint about the order of gradients, without effect on the values
      dq_kv_order: a hint about the order of gradients, without effect on the values

    Errors: AssertionError for functions of other numbers of arguments.
    """
    size = _pair(BLOCK_SIZE)
    partial, full = _blocks(create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device), size)
    if not separate_full_blocks:
        return BlockMask.from_kv_blocks(*_ordered(partial | full), BLOCK_SIZE=size, mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN))
    return BlockMask.from_kv_blocks(*_ordered(partial), *_ordered(full), BLOCK_SIZE=size, mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN))


def or_masks(*mask_mods: MaskFunction) -> MaskFunction:
    """The mask function that keeps the pairs that any of the given ones keeps.

    Args:
      mask_mods: mask functions

    Errors: RuntimeError for arguments that are not callable.
    """
    return _combined(mask_mods, lambda a, b: a | b, False)


def and_masks(*mask_mods: MaskFunction) -> MaskFunction:
    """The mask function that keeps the pairs that all of the given ones keep.

    Args:
      mask_mods: mask functions

    Errors: RuntimeError for arguments that are not callable.
    """
    return _combined(mask_mods, lambda a, b: a & b, True)


def _combined(functions, combine, start):
    if not all(callable(f) for f in functions):
        raise RuntimeError(f"All inputs should be callable mask_mods: {functions}")

    def mask_mod(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_full((), start, dtype=_C.bool)
        for f in functions:
            result = combine(result, f(b, h, q_idx, kv_idx))
        return result

    return mask_mod
