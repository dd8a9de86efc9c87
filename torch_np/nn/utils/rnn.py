"""Batches of sequences of different lengths: padded, or packed step by step with the longest
sequence first.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from torch_np import _C
from torch_np._C import Tensor

__all__ = ["PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
           "unpack_sequence", "unpad_sequence"]


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """A batch of sequences, stored step by step.

    `data` (sum of lengths, ...) holds the first elements of all sequences, then the second ones,
    and so on.

    Args:
      data: the elements
      batch_sizes: number of sequences that have an element at each step
      sorted_indices: order of the sequences by falling length; None if they were given in that
        order
      unsorted_indices: the inverse permutation

    Errors: ValueError for `batch_sizes` on a GPU.
    """

    def __new__(cls, data: Tensor, batch_sizes: Tensor | None = None, sorted_indices: Tensor | None = None,
                unsorted_indices: Tensor | None = None) -> PackedSequence:
        if batch_sizes is None:  # old versions of PyTorch pickled one tuple
            data, batch_sizes = data
        if batch_sizes.device.type != "cpu":
            raise ValueError("batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually.")
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _mapped(self, convert: Callable[[Tensor], Tensor], indices: Callable[[Tensor], Tensor]) -> PackedSequence:
        def moved(t: Tensor | None) -> Tensor | None:
            return None if t is None else indices(t)
        return type(self)(convert(self.data), self.batch_sizes, moved(self.sorted_indices), moved(self.unsorted_indices))

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Converts the data to another device or dtype."""
        data = self.data.to(*args, **kwargs)
        return self._mapped(lambda _: data, lambda t: t.to(data.device))

    def cpu(self) -> PackedSequence:
        """Moves the data to the CPU."""
        return self.to("cpu")

    def cuda(self) -> PackedSequence:
        """Moves the data to a GPU."""
        return self.to("cuda")

    def float(self) -> PackedSequence:
        """Converts the data to float32."""
        return self.to(dtype=_C.float32)

    def double(self) -> PackedSequence:
        """Converts the data to float64."""
        return self.to(dtype=_C.float64)

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a GPU."""
        return self.data.is_cuda


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The inverse of a permutation; None for None.

    Args:
      permutation: the permutation

    Shapes: (n,), both.
    """
    if permutation is None:
        return None
    return _C._torch.argsort(permutation)


def _lengths(lengths: Any) -> list[int]:
    return [int(n) for n in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)]


def pack_padded_sequence(input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> PackedSequence:
    """Packs a padded batch of sequences.

    Args:
      input: padded batch
      lengths: length of each sequence
      batch_first: `input` is (batch, steps, ...) instead of (steps, batch, ...)
      enforce_sorted: require falling lengths instead of sorting the sequences

    Shapes: `input` (steps, batch, ...), or (batch, steps, ...); `lengths` (batch,).
    Errors: RuntimeError for lengths below 1 or above the number of steps, if there is not one
    length for each sequence and, if `enforce_sorted`, for lengths that rise.
    """
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    sizes = _lengths(lengths)
    if batch_first:
        input = input.transpose(0, 1)
    if len(sizes) != input.shape[1]:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={input.shape[1]})")
    if not sizes or min(sizes) <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    order = None
    if not enforce_sorted:
        ranks = sorted(range(len(sizes)), key=lambda i: -sizes[i])
        order = _C._torch.tensor(ranks, device=input.device)
        input, sizes = input.index_select(1, order), [sizes[i] for i in ranks]
    elif any(a < b for a, b in zip(sizes, sizes[1:], strict=False)):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
                           "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement")
    if sizes[0] > input.shape[0]:
        raise RuntimeError(f"Expected all lengths to be at most {input.shape[0]}, the number of steps, but got {sizes[0]}")
    counts = [sum(n > t for n in sizes) for t in range(sizes[0])]
    return PackedSequence(_C._torch.cat([input[t, :n] for t, n in enumerate(counts)]), _C._torch.tensor(counts, device="cpu"), order)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
                        total_length: int | None = None) -> tuple[Tensor, Tensor]:
    """Unpacks a PackedSequence into a padded batch and the lengths.

    Args:
      sequence: the packed sequences
      batch_first: return (batch, steps, ...) instead of (steps, batch, ...)
      padding_value: value of the padding
      total_length: number of steps of the result

    Shapes: the padded batch (steps, batch, ...), or (batch, steps, ...) if `batch_first`; lengths
    (batch,), int64.
    Errors: ValueError if `total_length` is less than the longest length.
    """
    counts = sequence.batch_sizes.tolist()
    if total_length is not None and total_length < len(counts):
        raise ValueError(f"Expected total_length to be at least the length of the longest sequence in input, but got "
                         f"total_length={total_length} and max sequence length being {len(counts)}")
    lengths = _C._torch.tensor([sum(n > i for n in counts) for i in range(counts[0])], device="cpu")
    columns = sequence.data.split(counts)
    ends = lengths.tolist()
    sequences = [_C._torch.stack([columns[t][i] for t in range(ends[i])]) for i in range(counts[0])]
    padded = _padded(sequences, max(total_length or 0, len(counts)), padding_value, "right", 0 if batch_first else 1)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices.cpu()]
    return padded, lengths


def _padded(sequences: Sequence[Tensor], steps: int, value: float, side: str, batch_dim: int) -> Tensor:
    parts = []
    for s in sequences:
        missing = steps - s.shape[0]
        if missing:
            padding = _C._torch.full((missing, *s.shape[1:]), value, dtype=s.dtype, device=s.device)
            s = _C._torch.cat((s, padding) if side == "right" else (padding, s))
        parts.append(s)
    return _C._torch.stack(parts, batch_dim)


def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right") -> Tensor:
    """Stacks sequences of different lengths into a padded batch.

    Args:
      sequences: iterable of tensors
      batch_first: return (batch, steps, ...) instead of (steps, batch, ...)
      padding_value: value of the padding
      padding_side: 'left' or 'right'

    Shapes: (length, ...) each; the result is (steps, batch, ...), or (batch, steps, ...) if
    `batch_first`.
    Errors: RuntimeError for no sequences, for a non-iterable, and for an unknown `padding_side`.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f'Expected padding_side to be one of "left" or "right", but got {padding_side}.')
    tensors = list(sequences)
    if not tensors:
        raise RuntimeError("received an empty list of sequences")
    return _padded(tensors, max(s.shape[0] for s in tensors), padding_value, padding_side, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Splits a padded batch into its sequences.

    Args:
      padded_sequences: padded batch
      lengths: length of each sequence
      batch_first: the batch is (batch, steps, ...) instead of (steps, batch, ...)

    Shapes: the padded batch (steps, batch, ...), or (batch, steps, ...) if `batch_first`; `lengths`
    (batch,); each result (length, ...).
    Errors: ValueError unless there is one length for each sequence.
    """
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [s[:n] for s, n in zip(padded_sequences, _lengths(lengths), strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences of different lengths.

    Args:
      sequences: list of tensors
      enforce_sorted: require falling lengths instead of sorting the sequences

    Shapes: (length, ...) each.
    Errors: RuntimeError for no sequences, for empty ones and, if `enforce_sorted`, for lengths that
    rise.
    """
    return pack_padded_sequence(pad_sequence(sequences), [s.shape[0] for s in sequences], enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Splits a PackedSequence into its sequences.

    Args:
      packed_sequences: the packed sequences

    Shapes: each result (length, ...).
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
