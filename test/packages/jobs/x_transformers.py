"""A language model of x-transformers."""
PROJECT = "x-transformers"
TASK = "a small decoder with rotary positions: logits, loss, gradients"
TOLERANCE = 1e-4


def job():
    import torch
    from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

    from packages.values import fill

    model = fill(TransformerWrapper(num_tokens=20, max_seq_len=16, attn_layers=Decoder(dim=16, depth=2, heads=2, attn_dim_head=8, rotary_pos_emb=True)))
    tokens = (torch.arange(24) * 7 % 20).reshape(2, 12)
    loss = AutoregressiveWrapper(model)(tokens)
    loss.backward()
    return {"logits": model(tokens), "loss": loss, "gradients": [p.grad for p in list(model.parameters())[:4] if p.grad is not None]}
