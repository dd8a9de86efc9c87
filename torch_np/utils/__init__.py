"""torch_np.utils: `torch_np.utils.data` reads data in batches. Each module loads on first use."""
from typing import TYPE_CHECKING

from torch_np._deferred import deferred as _deferred

if TYPE_CHECKING:
    from torch_np.utils import data as data
else:
    data = _deferred("torch_np.utils.data")
