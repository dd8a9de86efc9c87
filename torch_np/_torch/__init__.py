"""The Python part of the torch_np namespace: functions composed of operators, methods of Tensor,
storages, dtypes, and the text of tensors."""
