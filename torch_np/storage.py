"""torch_np.storage: the memory blocks behind tensors."""
from torch_np._torch.storage import TypedStorage as TypedStorage, UntypedStorage as UntypedStorage
from torch_np.serialization._rebuild import _load_from_bytes as _load_from_bytes
