"""Quantizers of vector-quantize-pytorch."""
PROJECT = "vector-quantize-pytorch"
TASK = "vector, finite-scalar and lookup-free quantization, with the straight-through gradient"


def job():
    from vector_quantize_pytorch import FSQ, LFQ, VectorQuantize

    from packages.values import wave

    quantizer = VectorQuantize(dim=4, codebook_size=8, decay=0.8)
    quantizer._codebook.embed.copy_(wave(1, 8, 4, step=0.9))
    x = wave(2, 5, 4).requires_grad_()
    y, indices, loss = quantizer(x)
    (y.sum() + loss.sum()).backward()
    scalars, codes = FSQ([3, 3, 4])(wave(2, 5, 3))
    lookup = LFQ(codebook_size=16, dim=4).eval()
    return {"quantized": y, "indices": indices, "loss": loss, "gradient": x.grad, "codebook": quantizer._codebook.embed, "fsq": scalars, "codes": codes,
            "lfq": lookup(wave(2, 5, 4))[:2]}
