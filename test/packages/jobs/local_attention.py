"""Attention in windows by local-attention."""
PROJECT = "local-attention"
TASK = "attention in windows, causal and not, and a small transformer, with gradients"
TOLERANCE = 2e-5


def job():
    import torch
    from local_attention import LocalAttention, LocalTransformer

    from packages.values import fill, wave

    q, k, v = (wave(2, 4, 24, 8, step=s).requires_grad_() for s in (0.37, 0.51, 0.83))
    mask = torch.arange(24)[None] < torch.tensor([[24], [17]])
    causal = LocalAttention(dim=8, window_size=6, causal=True, look_backward=1, look_forward=0, autopad=True)(q, k, v, mask=mask)
    causal.square().sum().backward()
    both = LocalAttention(dim=8, window_size=6, causal=False, look_backward=1, look_forward=1, exact_windowsize=True)(q, k, v)
    model = fill(LocalTransformer(num_tokens=20, dim=16, depth=2, causal=True, local_attn_window_size=8, max_seq_len=32, heads=2, dim_head=8)).eval()
    tokens = (torch.arange(32) * 7 % 20).reshape(2, 16)
    return {"causal": causal, "both": both, "gradient": [q.grad, k.grad, v.grad], "logits": model(tokens), "loss": model(tokens, return_loss=True)}
