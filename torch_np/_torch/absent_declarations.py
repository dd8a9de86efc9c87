"""Declarations for type checkers of the names that absent_names.py adds to torch_np. No program
imports this module; a test compares the names.
"""
from __future__ import annotations as _annotations

from torch_np._absent import AbsentClass as _AbsentClass, absent_function as _absent_function
from torch_np._torch.absent_names import AbsentDtype as _AbsentDtype

AliasDb = _AbsentClass
AnyType = _AbsentClass
AwaitType = _AbsentClass
BoolType = _AbsentClass
ClassType = _AbsentClass
ComplexType = _AbsentClass
ConcreteModuleType = _AbsentClass
DeviceObjType = _AbsentClass
DictType = _AbsentClass
EnumType = _AbsentClass
FloatType = _AbsentClass
FunctionSchema = _AbsentClass
FutureType = _AbsentClass
IODescriptor = _AbsentClass
InferredType = _AbsentClass
IntType = _AbsentClass
InterfaceType = _AbsentClass
ListType = _AbsentClass
LiteScriptModule = _AbsentClass
NoneType = _AbsentClass
NumberType = _AbsentClass
OptionalType = _AbsentClass
PyObjectType = _AbsentClass
RRefType = _AbsentClass
ScriptModuleSerializer = _AbsentClass
StreamObjType = _AbsentClass
StringType = _AbsentClass
SymBoolType = _AbsentClass
SymIntType = _AbsentClass
TensorType = _AbsentClass
TupleType = _AbsentClass
UnionType = _AbsentClass
Argument = _AbsentClass
ArgumentSpec = _AbsentClass
BenchmarkConfig = _AbsentClass
BenchmarkExecutionStats = _AbsentClass
Block = _AbsentClass
BufferDict = _AbsentClass
CallStack = _AbsentClass
Capsule = _AbsentClass
Code = _AbsentClass
CompleteArgumentSpec = _AbsentClass
ConcreteModuleTypeBuilder = _AbsentClass
DeepCopyMemoTable = _AbsentClass
DeserializationStorageContext = _AbsentClass
ErrorReport = _AbsentClass
ExecutionPlan = _AbsentClass
FileCheck = _AbsentClass
Gradient = _AbsentClass
Graph = _AbsentClass
GraphExecutorState = _AbsentClass
LockingLogger = _AbsentClass
ModuleDict = _AbsentClass
Node = _AbsentClass
NoopLogger = _AbsentClass
OperatorInfo = _AbsentClass
ParameterDict = _AbsentClass
PyTorchFileReader = _AbsentClass
PyTorchFileWriter = _AbsentClass
ScriptClass = _AbsentClass
ScriptClassFunction = _AbsentClass
ScriptDict = _AbsentClass
ScriptDictIterator = _AbsentClass
ScriptDictKeyIterator = _AbsentClass
ScriptFunction = _AbsentClass
ScriptList = _AbsentClass
ScriptListIterator = _AbsentClass
ScriptMethod = _AbsentClass
ScriptObject = _AbsentClass
ScriptObjectProperty = _AbsentClass
SerializationStorageContext = _AbsentClass
StaticModule = _AbsentClass
TracingState = _AbsentClass
Use = _AbsentClass
Value = _AbsentClass
batch_norm_backward_elemt = batch_norm_backward_reduce = batch_norm_elemt = batch_norm_gather_stats = _absent_function("", "", "")
batch_norm_gather_stats_with_counts = batch_norm_stats = batch_norm_update_stats = _absent_function("", "", "")
choose_qparams_optimized = cudnn_affine_grid_generator = _absent_function("", "", "")
cudnn_batch_norm = cudnn_convolution = cudnn_convolution_add_relu = cudnn_convolution_relu = _absent_function("", "", "")
cudnn_convolution_transpose = cudnn_grid_sampler = fake_quantize_per_channel_affine = _absent_function("", "", "")
fake_quantize_per_tensor_affine = fused_moving_avg_obs_fake_quant = _absent_function("", "", "")
import_ir_module = import_ir_module_from_buffer = int_repr = _absent_function("", "", "")
merge_type_from_type_comment = parse_ir = parse_schema = parse_type_comment = _absent_function("", "", "")
quantize_per_channel = quantize_per_tensor = quantize_per_tensor_dynamic = _absent_function("", "", "")
slice_inverse = _absent_function("", "", "")
unify_type_list = _absent_function("", "", "")
bcomplex32 = bit = bits16 = bits1x8 = bits2x4 = bits4x2 = bits8 = chalf = complex32 = float4_e2m1fn_x2 = _AbsentDtype("", 1)
float8_e4m3fn = float8_e4m3fnuz = float8_e5m2 = float8_e5m2fnuz = float8_e8m0fnu = int1 = int2 = int3 = int4 = int5 = _AbsentDtype("", 1)
int6 = int7 = qint32 = qint8 = quint2x4 = quint4x2 = quint8 = uint1 = uint2 = uint3 = uint4 = uint5 = uint6 = uint7 = _AbsentDtype("", 1)
cholesky = eig = lstsq = matrix_rank = qr = solve = symeig = _absent_function("", "", "")
