"""torch_np.signal: window functions of signal processing (`windows`)."""
from torch_np.signal import windows as windows
