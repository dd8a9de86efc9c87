"""torch_np.distributed.algorithms._checkpoint: modules that recompute their activations."""
