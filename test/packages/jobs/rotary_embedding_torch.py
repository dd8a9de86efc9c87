"""Rotary positions of rotary-embedding-torch."""
PROJECT = "rotary-embedding-torch"
TASK = "rotated queries and keys, with a cache"


def job():
    from rotary_embedding_torch import RotaryEmbedding

    from packages.values import wave

    rotary = RotaryEmbedding(dim=8)
    queries, keys = wave(1, 2, 6, 8), wave(1, 2, 9, 8)
    rotated, others = rotary.rotate_queries_with_cached_keys(queries, keys)
    return {"queries": rotary.rotate_queries_or_keys(queries), "cached": [rotated, others]}
