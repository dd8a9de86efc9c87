"""torch_np.nn.functional: the operators of network layers, with PyTorch's names."""
from typing import TYPE_CHECKING as TYPE_CHECKING

if TYPE_CHECKING:  # type checkers use the first import of a name; at run time these follow below
    from torch_np.nn._activation import *  # noqa: F401,F403
    from torch_np.nn._attention import *  # noqa: F401,F403
    from torch_np.nn._linear import *  # noqa: F401,F403
    from torch_np.nn._losses import *  # noqa: F401,F403
from torch_np import Tensor as Tensor
from torch_np._C._torch import cosine_similarity as cosine_similarity, pairwise_distance as pairwise_distance, pdist as pdist
from torch_np._C._torch_nn_functional import *  # type: ignore[assignment]  # noqa: F401,F403
from torch_np.nn._activation import *  # noqa: F401,F403
from torch_np.nn._attention import *  # noqa: F401,F403
from torch_np.nn._linear import *  # noqa: F401,F403
from torch_np.nn._losses import *  # noqa: F401,F403
from torch_np.nn._embedding import *  # noqa: F401,F403
from torch_np.nn._helpers import *  # noqa: F401,F403
from torch_np.nn._normalization import *  # noqa: F401,F403
from torch_np.nn._dropout import *  # noqa: F401,F403
from torch_np._C._torch import (  # noqa: E402
    adaptive_avg_pool1d as adaptive_avg_pool1d, avg_pool1d as avg_pool1d, conv1d as conv1d, conv2d as conv2d, conv3d as conv3d,
    conv_transpose1d as conv_transpose1d, conv_transpose2d as conv_transpose2d, conv_transpose3d as conv_transpose3d,
)
from torch_np._torch.native_layers import conv_tbc as conv_tbc  # noqa: E402
from torch_np.nn._padding import pad as pad  # noqa: E402
from torch_np.nn._pooling import *  # noqa: E402,F401,F403
from torch_np.nn._resampling import *  # noqa: E402,F401,F403
from torch_np._C._torch import channel_shuffle as channel_shuffle, pixel_shuffle as pixel_shuffle, pixel_unshuffle as pixel_unshuffle  # noqa: E402
from torch_np._torch.native_layers import native_channel_shuffle as native_channel_shuffle  # noqa: E402
from torch_np.nn._grid_sampling import *  # noqa: E402,F401,F403
from torch_np.nn._patches import *  # noqa: E402,F401,F403
from torch_np.nn import grad as grad  # noqa: E402
from torch_np.nn._functional_helpers import *  # noqa: E402,F401,F403
from torch_np._overridable import make_overridable as _make_overridable  # noqa: E402

_make_overridable(globals())
