"""Batch rules: how an operator on single samples is computed for all samples at once."""
from torch_np._transforms.batch_rules import (  # noqa: F401
    creation, images, in_place, indexing, leading, losses, norms, pointwise, products, random, reductions, views,
)
from torch_np._transforms.batch_rules.random import RANDOM
from torch_np._transforms.batch_rules.table import compute

__all__ = ["RANDOM", "compute"]
