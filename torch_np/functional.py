"""torch_np.functional: functions of torch_np, at the place where PyTorch defines them."""
from torch_np import (
    atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d, block_diag as block_diag,
    broadcast_shapes as broadcast_shapes, broadcast_tensors as broadcast_tensors, cartesian_prod as cartesian_prod, cdist as cdist,
    chain_matmul as chain_matmul, einsum as einsum, istft as istft, lu as lu, meshgrid as meshgrid, norm as norm,
    pca_lowrank as pca_lowrank, split as split, stft as stft, svd_lowrank as svd_lowrank, tensordot as tensordot, unique as unique,
    unique_consecutive as unique_consecutive, unravel_index as unravel_index,
)

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors", "cartesian_prod", "cdist", "chain_matmul",
    "einsum", "istft", "lu", "meshgrid", "norm", "pca_lowrank", "split", "stft", "svd_lowrank", "tensordot", "unique", "unique_consecutive",
    "unravel_index"]
