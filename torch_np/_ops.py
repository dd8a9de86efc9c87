"""torch_np._ops: the classes of the objects in torch_np.ops."""
from torch_np._absent import absent_class as _absent_class
from torch_np._registry import Namespace as _OpNamespace
from torch_np._transforms.overloads import OpOverload as OpOverload, OpOverloadPacket as OpOverloadPacket
from torch_np.library._aten import Functions as Functions

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket", "_OpNamespace"]

HigherOrderOperator = _absent_class("HigherOrderOperator", "operators on functions are not implemented", __name__)
