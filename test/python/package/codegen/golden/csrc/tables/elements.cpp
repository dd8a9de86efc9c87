// Generated from native_functions/elements.yaml. See csrc/functions/tables.h.
#include "csrc/functions/tables.h"

#include "aten/functions/elements.h"
#include "aten/operator_tables/elements.h"
#include "csrc/bindings/elements.h"

namespace tnp::python {

namespace elements_rows {
namespace {

PyMethodDef tensor_methods[] = {
    {"twice", fastcall(&THPVariable_twice<false>), kFastcall,
        "twice($self, /, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Args:\n"
        "  input (self): Input values.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: only those that all operators share.\n"},
    {"double_up", fastcall(&THPVariable_twice<false>), kFastcall,
        "double_up($self, /, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Args:\n"
        "  input (self): Input values.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: only those that all operators share.\n"},
    {"total", fastcall(&THPVariable_total<false>), kFastcall,
        "total($self, /, dim=None, keepdim=False, *, dtype=None, out=None)\n"
        "--\n"
        "\n"
        "Sum of `input` over `dim`.\n"
        "\n"
        "Args:\n"
        "  input (self): Values to reduce.\n"
        "  dim: Axis or axes to reduce; None reduces all of them.\n"
        "  keepdim: Whether reduced axes stay in the result, with size 1.\n"
        "  dtype: Dtype of the result, in which the elements are combined.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"},
    {"twice_", fastcall(&THPVariable_twice_<false>), kFastcall,
        "twice_($self, /)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Args:\n"
        "  input (self): Input values. This tensor is overwritten with the result.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: only those that all operators share.\n"},
    {"double_up_", fastcall(&THPVariable_twice_<false>), kFastcall,
        "double_up_($self, /)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Args:\n"
        "  input (self): Input values. This tensor is overwritten with the result.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: only those that all operators share.\n"},
    {nullptr, nullptr, 0, nullptr},
};
PyMethodDef ndarray_methods[] = {
    {"total", fastcall(&THPVariable_total<true>), kFastcall,
        "total($self, /, axis=None, dtype=None, out=None, keepdims=..., initial=..., where=...)\n"
        "--\n"
        "\n"
        "Sum of `a` over `axis`.\n"
        "\n"
        "Args:\n"
        "  a (self): Values to reduce.\n"
        "  axis: Axis or axes to reduce; None reduces all of them.\n"
        "  dtype: Dtype of the result, in which the elements are combined.\n"
        "  out: Array that receives the result, with the shape of the result.\n"
        "  keepdims: Whether reduced axes stay in the result, with size 1.\n"
        "  initial: Starting value of the reduction.\n"
        "  where: Boolean mask, broadcast with `a`. Only elements where it is True take part.\n"},
    {nullptr, nullptr, 0, nullptr},
};
FunctionRow functions[] = {
    {.compat = false, .package = "", .method = {"twice", fastcall(&THPVariable_twice<false>), kFastcall,
        "twice(input, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Args:\n"
        "  input: Input values.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: only those that all operators share.\n"}},
    {.compat = false, .package = "", .method = {"double_up", fastcall(&THPVariable_twice<false>), kFastcall,
        "double_up(input, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Args:\n"
        "  input: Input values.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: only those that all operators share.\n"}},
    {.compat = false, .package = "", .method = {"total", fastcall(&THPVariable_total<false>), kFastcall,
        "total(input, dim=None, keepdim=False, *, dtype=None, out=None)\n"
        "--\n"
        "\n"
        "Sum of `input` over `dim`.\n"
        "\n"
        "Args:\n"
        "  input: Values to reduce.\n"
        "  dim: Axis or axes to reduce; None reduces all of them.\n"
        "  keepdim: Whether reduced axes stay in the result, with size 1.\n"
        "  dtype: Dtype of the result, in which the elements are combined.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"}},
    {.compat = true, .package = "", .method = {"total", fastcall(&THPVariable_total<true>), kFastcall,
        "total(a, axis=None, dtype=None, out=None, keepdims=..., initial=..., where=...)\n"
        "--\n"
        "\n"
        "Sum of `a` over `axis`.\n"
        "\n"
        "Args:\n"
        "  a: Values to reduce.\n"
        "  axis: Axis or axes to reduce; None reduces all of them.\n"
        "  dtype: Dtype of the result, in which the elements are combined.\n"
        "  out: Array that receives the result, with the shape of the result.\n"
        "  keepdims: Whether reduced axes stay in the result, with size 1.\n"
        "  initial: Starting value of the reduction.\n"
        "  where: Boolean mask, broadcast with `a`. Only elements where it is True take part.\n"}},
    {.compat = false, .package = "", .method = {"twice_", fastcall(&THPVariable_twice_<false>), kFastcall,
        "twice_(input)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Args:\n"
        "  input: Input values. This tensor is overwritten with the result.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: only those that all operators share.\n"}},
    {.compat = false, .package = "", .method = {"double_up_", fastcall(&THPVariable_twice_<false>), kFastcall,
        "double_up_(input)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Args:\n"
        "  input: Input values. This tensor is overwritten with the result.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: only those that all operators share.\n"}},
    {},
};
const UfuncRow ufuncs[] = {
    {"twice", "", 1, 1, &THPVariable_twice<true>, &pointwise_ops::twice, nullptr, "0",
     [](const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype, const ReduceOptions& options) { return tnp::total(input, dim, keepdim, dtype, options); }, true,
     nullptr, false,
     "(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None)",
        "Two times `x`.\n"
        "\n"
        "Args:\n"
        "  x: Input values.\n"
        "  out: Array that receives the result, with the shape of the result.\n"
        "  where: Boolean mask, broadcast with the operands. Where it is False, the result keeps the value of\n"
        "    `out`, or is uninitialized without `out`.\n"
        "  casting: Allowed casts: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.\n"
        "  order: Memory layout of the result: 'C' (row-major), 'F' (column-major), 'A' ('F' if all operands\n"
        "    are column-major, else 'C') or 'K' (as the operands).\n"
        "  dtype: Dtype in which the result is computed; None is the common dtype of the operands.\n"
        "  subok: Must be True. The result has the class of its operand if that is a subclass of ndarray.\n"
        "  signature: Not implemented; must be None.\n"
        "\n"
        "Shapes: as `x`.\n"
        "Errors: only those that all operators share.\n"},
    {"halves", "", 1, 2, &THPVariable_halves<true>, &pointwise_ops::halves, nullptr, "None",
     nullptr, false,
     nullptr, false,
     "(y, /, out=(None, None), *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None)",
        "Args:\n"
        "  y: Input values.\n"
        "  out: Tuple of the arrays that receive the results; None makes a new array.\n"
        "  where: Boolean mask, broadcast with the operands. Where it is False, the result keeps the value of\n"
        "    `out`, or is uninitialized without `out`.\n"
        "  casting: Allowed casts: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.\n"
        "  order: Memory layout of the result: 'C' (row-major), 'F' (column-major), 'A' ('F' if all operands\n"
        "    are column-major, else 'C') or 'K' (as the operands).\n"
        "  dtype: Dtype in which the result is computed; None is the common dtype of the operands.\n"
        "  subok: Must be True. The result has the class of its operand if that is a subclass of ndarray.\n"
        "  signature: Not implemented; must be None.\n"
        "\n"
        "Shapes: both results have the shape of `y`.\n"
        "Errors: TypeError for complex numbers.\n"},
    {},
};
const DunderRow dunders[] = {
    {"__matmul__", "twice", &THPVariable_twice<false>, &THPVariable_twice<true>, &THPVariable_twice_<false>},
    {},
};
const ResultRow results[] = {
    {},
};

}  // namespace

extern const FamilyTables tables;
constinit const FamilyTables tables{tensor_methods, ndarray_methods, functions, ufuncs, dunders, results};

}  // namespace elements_rows

}  // namespace tnp::python
