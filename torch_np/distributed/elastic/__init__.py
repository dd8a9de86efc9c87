"""torch_np.distributed.elastic: jobs whose number of processes changes are not implemented; the launcher is torch_np.distributed.run."""
