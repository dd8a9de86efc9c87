"""Private modules of PyTorch's transforms that packages import; the transforms are in torch_np.func."""
