"""The transformer (Vaswani et al., 2017): encoders and decoders of attention and linear layers."""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.attention import MultiheadAttention
from torch_np.nn.modules.container import ModuleList
from torch_np.nn.modules.dropout import Dropout
from torch_np.nn.modules.linear import Linear
from torch_np.nn.modules.module import Module
from torch_np.nn.modules.normalization import LayerNorm
# Names that layers of packages import from here.
from torch_np.nn.init import xavier_uniform_ as xavier_uniform_

__all__ = ["Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer"]


def _get_activation_fn(given: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return F.relu if given == "relu" else F.gelu


def _get_clones(module: Module, n: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(n)])


def _additive(mask: Tensor | None, dtype: Any) -> Tensor | None:
    """A mask to add to the scores; True in a mask of bools becomes -inf."""
    if mask is None or mask.dtype != _C.bool:
        return mask
    return _C._torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, float("-inf"))


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    return Transformer.generate_square_subsequent_mask(sz, device=device, dtype=dtype)


def _get_seq_len(src: Tensor, batch_first: bool) -> int | None:
    """The length of the sequences, unless `src` is nested."""
    return src.shape[0 if src.dim() == 2 or not batch_first else 1]


def _detect_is_causal_mask(mask: Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
    """`is_causal`, or if it is None, whether `mask` equals
    Transformer.generate_square_subsequent_mask.
    """
    if is_causal is not None or mask is None:
        return bool(is_causal)
    n = mask.shape[-2] if size is None else size
    causal = Transformer.generate_square_subsequent_mask(n, device=mask.device, dtype=mask.dtype if mask.is_floating_point() else None)
    return mask.shape == causal.shape and bool((mask == causal).all())


class TransformerEncoderLayer(Module):
    """A transformer encoder layer: self-attention and a feed-forward network.

    Each of the two parts has a residual connection, dropout and layer normalisation.

    Args:
      d_model: number of features
      nhead: number of attention heads
      dim_feedforward: features between the two linear layers
      dropout: probability of dropout
      activation: 'relu', 'gelu' or a function
      layer_norm_eps: term added to the variance by layer normalisation
      batch_first: inputs are (N, L, features) instead of (L, N, features)
      norm_first: normalise before each sublayer instead of after it
      bias: whether to learn biases
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: RuntimeError for an unknown `activation`.
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: str | Callable[[Tensor], Tensor] = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        where: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **where)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)
        self.activation_relu_or_gelu = {F.relu: 1, F.gelu: 2}.get(self.activation, 0)  # PyTorch's attribute

    def forward(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal: bool = False) -> Tensor:
        """Shapes: (S, N, d_model), (N, S, d_model) if `batch_first`, or (S, d_model); the result
        has the same shape.
        """
        padding, mask = _additive(src_key_padding_mask, src.dtype), _additive(src_mask, src.dtype)
        x = src
        if self.norm_first:
            x = x + self._attended(self.norm1(x), mask, padding, is_causal)
            return x + self._fed(self.norm2(x))
        x = self.norm1(x + self._attended(x, mask, padding, is_causal))
        return self.norm2(x + self._fed(x))

    def _attended(self, x, mask, padding, is_causal):
        return self.dropout1(self.self_attn(x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal)[0])

    def _fed(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """A transformer decoder layer: self-attention, attention to the encoder's output, and a
    feed-forward network.

    Each of the three parts has a residual connection, dropout and layer normalisation.

    Args:
      d_model: number of features
      nhead: number of attention heads
      dim_feedforward: features between the two linear layers
      dropout: probability of dropout
      activation: 'relu', 'gelu' or a function
      layer_norm_eps: term added to the variance by layer normalisation
      batch_first: inputs are (N, L, features) instead of (L, N, features)
      norm_first: normalise before each sublayer instead of after it
      bias: whether to learn biases
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: RuntimeError for an unknown `activation`.
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: str | Callable[[Tensor], Tensor] = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        where: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, bias=bias, **where)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, bias=bias, **where)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool = False,
                memory_is_causal: bool = False) -> Tensor:
        """Shapes: `tgt` (T, N, d_model) and `memory` (S, N, d_model), with N first if
        `batch_first`, or without N; the result is shaped as `tgt`.
        """
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        of_memory = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._self_attended(self.norm1(x), *own)
            x = x + self._attended(self.norm2(x), memory, *of_memory)
            return x + self._fed(self.norm3(x))
        x = self.norm1(x + self._self_attended(x, *own))
        x = self.norm2(x + self._attended(x, memory, *of_memory))
        return self.norm3(x + self._fed(x))

    def _self_attended(self, x, mask, padding, is_causal):
        return self.dropout1(self.self_attn(x, x, x, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal, need_weights=False)[0])

    def _attended(self, x, memory, mask, padding, is_causal):
        return self.dropout2(self.multihead_attn(x, memory, memory, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal,
                                                 need_weights=False)[0])

    def _fed(self, x):
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """A stack of transformer encoder layers.

    Args:
      encoder_layer: layer to copy
      num_layers: number of copies
      norm: module applied to the result
      enable_nested_tensor: accepted for compatibility; has no effect
      mask_check: accepted for compatibility; has no effect
    """

    def __init__(self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True,
                 mask_check: bool = True) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        self.use_nested_tensor = False  # PyTorch's attribute

    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal: bool | None = None) -> Tensor:
        """Shapes: those of the layers."""
        padding, mask = _additive(src_key_padding_mask, src.dtype), _additive(mask, src.dtype)
        causal = _detect_is_causal_mask(mask, is_causal)
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """A stack of transformer decoder layers.

    Args:
      decoder_layer: layer to copy
      num_layers: number of copies
      norm: module applied to the result
    """

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool | None = None,
                memory_is_causal: bool = False) -> Tensor:
        """Shapes: those of the layers."""
        causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal)
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                        memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=causal, memory_is_causal=memory_is_causal)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """A transformer: an encoder and a decoder.

    Args:
      d_model: number of features
      nhead: number of attention heads
      num_encoder_layers: number of encoder layers
      num_decoder_layers: number of decoder layers
      dim_feedforward: features between the two linear layers
      dropout: probability of dropout
      activation: 'relu', 'gelu' or a function
      custom_encoder: encoder to use instead
      custom_decoder: decoder to use instead
      layer_norm_eps: term added to the variance by layer normalisation
      batch_first: inputs are (N, L, features) instead of (L, N, features)
      norm_first: normalise before each sublayer instead of after it
      bias: whether to learn biases
      device: device of the parameters
      dtype: dtype of the parameters
    """

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6, dim_feedforward: int = 2048,
                 dropout: float = 0.1, activation: str | Callable[[Tensor], Tensor] = F.relu, custom_encoder: Any = None, custom_decoder: Any = None,
                 layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.encoder = custom_encoder if custom_encoder is not None else TransformerEncoder(TransformerEncoderLayer(*layer), num_encoder_layers, norm())
        self.decoder = custom_decoder if custom_decoder is not None else TransformerDecoder(TransformerDecoderLayer(*layer), num_decoder_layers, norm())
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                src_key_padding_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
                memory_key_padding_mask: Tensor | None = None, src_is_causal: bool | None = None, tgt_is_causal: bool | None = None,
                memory_is_causal: bool = False) -> Tensor:
        """Shapes: `src` (S, N, d_model) and `tgt` (T, N, d_model), with N first if `batch_first`,
        or without N; the result is shaped as `tgt`.

        Errors: RuntimeError for shapes that do not fit.
        """
        batched = src.dim() == 3
        axis = 0 if self.batch_first else 1
        if batched and src.shape[axis] != tgt.shape[axis]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """A causal mask: -inf above the diagonal and 0 elsewhere.

        Args:
          sz: number of rows and columns
          device: device of the mask
          dtype: dtype of the mask

        Shapes: (sz, sz).
        """
        return _C._torch.triu(_C._torch.full((sz, sz), float("-inf"), dtype=dtype, device=device), 1)

    def _reset_parameters(self) -> None:
        from torch_np.nn import init
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)
