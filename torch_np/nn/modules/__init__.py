"""The module classes of torch_np.nn."""
from typing import TYPE_CHECKING

from torch_np.nn.modules.module import Module as Module
from torch_np.nn.modules.activation import *  # noqa: F401,F403
from torch_np.nn.modules.adaptive import *  # noqa: F401,F403
from torch_np.nn.modules.attention import *  # noqa: F401,F403
from torch_np.nn.modules.batchnorm import *  # noqa: F401,F403
from torch_np.nn.modules.container import *  # noqa: F401,F403
from torch_np.nn.modules.conv import *  # noqa: F401,F403
from torch_np.nn.modules.distance import *  # noqa: F401,F403
from torch_np.nn.modules.dropout import *  # noqa: F401,F403
from torch_np.nn.modules.flatten import *  # noqa: F401,F403
from torch_np.nn.modules.fold import *  # noqa: F401,F403
from torch_np.nn.modules.instancenorm import *  # noqa: F401,F403
from torch_np.nn.modules.linear import Bilinear as Bilinear, Identity as Identity, LazyLinear as LazyLinear, Linear as Linear
from torch_np.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions as LinearCrossEntropyOptions
from torch_np.nn.modules.loss import *  # noqa: F401,F403
from torch_np.nn.modules.normalization import *  # noqa: F401,F403
from torch_np.nn.modules.padding import *  # noqa: F401,F403
from torch_np.nn.modules.channelshuffle import *  # noqa: F401,F403
from torch_np.nn.modules.pixelshuffle import *  # noqa: F401,F403
from torch_np.nn.modules.pooling import *  # noqa: F401,F403
from torch_np.nn.modules.rnn import *  # noqa: F401,F403
from torch_np.nn.modules.sparse import *  # noqa: F401,F403
from torch_np.nn.modules.transformer import *  # noqa: F401,F403
from torch_np.nn.modules.upsampling import *  # noqa: F401,F403

if not TYPE_CHECKING:  # type checkers take the names that are imported
    __all__ = sorted(name for name, value in globals().items() if isinstance(value, type))
