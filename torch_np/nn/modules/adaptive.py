"""Adaptive softmax over many classes (Grave et al., 2017)."""
from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.container import ModuleList, Sequential
from torch_np.nn.modules.linear import Linear
from torch_np.nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """A softmax over many classes that computes rare classes with fewer features.

    Classes below `cutoffs[0]` are scored by the head. Other classes form clusters that begin at
    `cutoffs`. Cluster i projects the input to `in_features / div_value ** (i + 1)` features first.

    Args:
      in_features: features of the input
      n_classes: number of classes, sorted by falling frequency
      cutoffs: increasing class numbers, from 1 to `n_classes - 1`
      div_value: factor by which the features of clusters shrink
      head_bias: learn a bias of the head
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError if `cutoffs` is empty, does not rise or leaves this range.
    Source: Grave et al., Efficient softmax approximation for GPUs, ICML 2017.
    """

    def __init__(self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool = False,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if cutoffs != sorted(cutoffs) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1 or len(set(cutoffs)) != len(cutoffs) \
                or any(int(c) != c for c in cutoffs):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
                             "between 1 and n_classes-1")
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = self.cutoffs[0], len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            width = int(in_features // div_value ** (i + 1))
            self.tail.append(Sequential(Linear(in_features, width, bias=False, device=device, dtype=dtype),
                                        Linear(width, self.cutoffs[i + 1] - self.cutoffs[i], bias=False, device=device, dtype=dtype)))

    def reset_parameters(self) -> None:
        """Initialises all weights anew."""
        self.head.reset_parameters()
        for module in self.tail.modules():
            if isinstance(module, Linear):
                module.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> Any:
        """Returns (output, loss): the log-probability of each target, and minus the mean of these.

        Args:
          input_: input
          target_: classes

        Shapes: (N, in_features) and (N,), or without N.
        Errors: RuntimeError if `input_` or `target_` does not have such a shape, and for classes
        out of range.
        """
        if target_.dim() == 1:
            if input_.shape[0] != target_.shape[0]:
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input_.dim() != 2:
                raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size {input_.size()}")
        elif target_.dim() == 0:
            if input_.dim() != 1:
                raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input_.size()}")
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        batched = target_.dim() > 0
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        if target.numel() and (int(target.min()) < 0 or int(target.max()) >= self.n_classes):
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                               f"{target.max().item()}] were found. ")
        in_head = target < self.shortlist_size
        places = _C._torch.where(in_head, target, _C._torch.zeros_like(target))
        output = F.log_softmax(self.head(input), dim=1)
        scores = output.gather(1, places.unsqueeze(1)).squeeze(1).clone()
        for i, cluster in enumerate(self.tail):
            low, high = self.cutoffs[i], self.cutoffs[i + 1]
            rows = ((target >= low) & (target < high)).nonzero().flatten()
            if not rows.numel():
                continue
            local = F.log_softmax(cluster(input[rows]), dim=1).gather(1, (target[rows] - low).unsqueeze(1)).squeeze(1)
            scores[rows] = output[rows, self.shortlist_size + i] + local
        return _ASMoutput(scores if batched else scores.squeeze(0), -scores.mean())

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes.

        Args:
          input: input

        Shapes: (N, in_features); the result is (N, n_classes).
        """
        head = F.log_softmax(self.head(input), dim=1)
        parts = [head[:, :self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            parts.append(F.log_softmax(cluster(input), dim=1) + head[:, self.shortlist_size + i].unsqueeze(1))
        return _C._torch.cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each row.

        Args:
          input: input

        Shapes: (N, in_features); the result is (N,).
        """
        return self.log_prob(input).argmax(dim=1)
