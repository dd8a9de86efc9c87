"""torch_np.distributed._composable: changes of modules in place, by PyTorch's names."""
