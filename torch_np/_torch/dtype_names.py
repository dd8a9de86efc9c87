"""PyTorch's legacy names of dtypes, as in FloatTensor and FloatStorage."""
from torch_np import _C

LEGACY = {_C.float64: "Double", _C.float32: "Float", _C.float16: "Half", _C.bfloat16: "BFloat16", _C.int64: "Long", _C.int32: "Int",
          _C.int16: "Short", _C.int8: "Char", _C.uint8: "Byte", _C.bool: "Bool", _C.complex64: "ComplexFloat", _C.complex128: "ComplexDouble"}
BY_LEGACY_NAME = {name: dtype for dtype, name in LEGACY.items()}
