"""torch_np.distributed.algorithms.model_averaging: averages of networks, by PyTorch's names. They are not implemented."""
