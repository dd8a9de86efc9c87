"""torch_np.fx.experimental: PyTorch's experiments with graphs, by name."""
