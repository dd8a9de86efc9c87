"""What torch_np publishes under its own name: functions of PyTorch's that are composed in Python, methods of Tensor, storages, dtypes, text."""
