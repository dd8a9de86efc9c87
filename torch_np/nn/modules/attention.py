"""Multi-head attention (Vaswani et al., 2017)."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.linear import NonDynamicallyQuantizableLinear
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Multi-head attention with linear projections of its inputs and output.

    The parameters are `in_proj_weight` (3 embed_dim, embed_dim), or `q_proj_weight`,
    `k_proj_weight` and `v_proj_weight` if keys or values have other sizes, `in_proj_bias`, and
    `out_proj`.

    Args:
      embed_dim: features of queries and of the result
      num_heads: number of heads, each of `embed_dim / num_heads` features
      dropout: fraction of the probabilities that are set to 0 in training
      bias: learn biases of the projections
      add_bias_kv: learn an additional key and value
      add_zero_attn: append a zero key and value
      kdim: features of keys, `embed_dim` by default
      vdim: features of values, `embed_dim` by default
      batch_first: inputs are (N, L, features) instead of (L, N, features)
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError unless `embed_dim` and `num_heads` are positive, AssertionError unless
    `num_heads` divides `embed_dim`.
    Source: Vaswani et al., Attention is all you need, NIPS 2017.
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
                 add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.add_zero_attn = add_zero_attn

        def parameter(*shape: int) -> Parameter:
            return Parameter(_C._torch.empty(shape, device=device, dtype=dtype))
        if self._qkv_same_embed_dim:
            self.in_proj_weight = parameter(3 * embed_dim, embed_dim)
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        else:
            self.q_proj_weight = parameter(embed_dim, embed_dim)
            self.k_proj_weight = parameter(embed_dim, self.kdim)
            self.v_proj_weight = parameter(embed_dim, self.vdim)
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", parameter(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(name, parameter(1, 1, embed_dim) if add_bias_kv else None)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        from torch_np.nn import init
        weights: list[Any] = ([self.in_proj_weight] if self._qkv_same_embed_dim else [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight])
        for weight in weights:
            init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)  # type: ignore[arg-type]
        for b in (self.bias_k, self.bias_v):
            if b is not None:
                init.xavier_normal_(b)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None, need_weights: bool = True,
                attn_mask: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
        """Returns (output, probabilities). The probabilities are None unless `need_weights`.

        Args:
          query: queries
          key: keys
          value: values
          key_padding_mask: keys to ignore (True), or numbers added to their scores
          need_weights: return the probabilities
          attn_mask: pairs of a query and a key to ignore (True), or numbers added to their scores
          average_attn_weights: return the mean of the probabilities over heads
          is_causal: hint that `attn_mask` is the causal mask

        Shapes: `query` (L, N, embed_dim), `key` (S, N, kdim), `value` (S, N, vdim), with N first if
        `batch_first`, or without N; `key_padding_mask` (N, S); `attn_mask` (L, S) or (N * heads, L,
        S). The output is shaped as `query`; the probabilities are (N, L, S), or (N, heads, L, S)
        unless `average_attn_weights`.
        """
        batched = query.dim() == 3
        if self.batch_first and batched:
            # Equal arguments stay the same object, so that their projections are computed in one
            # product.
            turned = {id(x): x.transpose(1, 0) for x in (query, key, value)}
            query, key, value = turned[id(query)], turned[id(key)], turned[id(value)]
        separate: dict[str, Any] = {} if self._qkv_same_embed_dim else {
            "use_separate_proj_weight": True, "q_proj_weight": self.q_proj_weight, "k_proj_weight": self.k_proj_weight,
            "v_proj_weight": self.v_proj_weight}
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v,
            self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias, training=self.training,
            key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask, average_attn_weights=average_attn_weights,
            is_causal=is_causal, **separate)
        return (output.transpose(1, 0) if self.batch_first and batched else output), weights


# Pickles name PyTorch's module of this class.
MultiheadAttention.__module__ = "torch_np.nn.modules.activation"
