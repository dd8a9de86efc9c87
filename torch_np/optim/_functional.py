"""torch_np.optim.functional, by the name that packages import."""
from torch_np.optim.functional import *  # noqa: F403
