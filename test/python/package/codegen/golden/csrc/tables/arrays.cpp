// Generated from native_functions/arrays.yaml. See csrc/functions/tables.h.
#include "csrc/functions/tables.h"

#include "csrc/bindings/arrays.h"

namespace tnp::python {

PyTypeObject* torch_chosen_type = nullptr;
PyTypeObject* torch_nn_functional_normalized_type = nullptr;
PyTypeObject* numpy_NormalizedResult_type = nullptr;
namespace arrays_rows {
namespace {

PyMethodDef tensor_methods[] = {
    {"product", fastcall(&THPVariable_product<false>), kFastcall,
        "product($self, /, other, scale=1.5, *, out=None)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  input (self): Matrix.\n"
        "  other: Vector with as many elements as `input` has columns.\n"
        "  scale: Factor of the product.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"},
    {"swapped", fastcall(&THPVariable_swapped<false>), kFastcall,
        "swapped($self, /, dim0, dim1)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  input (self): Input tensor.\n"},
    {"assign_", fastcall(&THPVariable_assign_<false>), kFastcall,
        "assign_($self, /, src)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  self: Tensor that is changed in place.\n"},
    {nullptr, nullptr, 0, nullptr},
};
PyMethodDef ndarray_methods[] = {
    {nullptr, nullptr, 0, nullptr},
};
FunctionRow functions[] = {
    {.compat = false, .package = "", .method = {"filled", fastcall(&THPVariable_filled<false>), kFastcall,
        "filled(*size, value=1, dtype=None, order='C', out=None)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  size: Shape of the result.\n"
        "  dtype: Dtype of the result.\n"
        "  order: Memory layout of the result: 'C' (row-major), 'F' (column-major), 'A' ('F' if the input is\n"
        "    column-major, else 'C') or 'K' (as the input).\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"}},
    {.compat = true, .package = "", .takes_like = true, .method = {"filled", fastcall(&THPVariable_filled<true>), kFastcall,
        "filled(shape, dtype=..., order='C', *, like=None)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  shape: Shape of the result.\n"
        "  dtype: Dtype of the result.\n"
        "  order: Memory layout of the result: 'C' (row-major), 'F' (column-major), 'A' ('F' if the input is\n"
        "    column-major, else 'C') or 'K' (as the input).\n"
        "  like: Must be None, or an object of another library whose `__array_function__` makes the array.\n"}},
    {.compat = false, .package = "", .method = {"product", fastcall(&THPVariable_product<false>), kFastcall,
        "product(input, other, scale=1.5, *, out=None)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  input: Matrix.\n"
        "  other: Vector with as many elements as `input` has columns.\n"
        "  scale: Factor of the product.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"}},
    {.compat = false, .package = "", .method = {"swapped", fastcall(&THPVariable_swapped<false>), kFastcall,
        "swapped(input, dim0, dim1)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  input: Input tensor.\n"}},
    {.compat = false, .package = "", .method = {"joined", fastcall(&THPVariable_joined<false>), kFastcall,
        "joined(tensors, dim=0, *, out=None)\n"
        "--\n"
        "\n"
        "Also joined(tensors, *, mode='plain')\n"
        "\n"
        "Args:\n"
        "  dim: Axis along which the operator computes; a negative one counts from the last.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"}},
    {.compat = true, .package = "", .takes_arrays = true, .method = {"joined", fastcall(&THPVariable_joined<true>), kFastcall,
        "joined(arrays, axis=0)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  axis: Axis along which the operator computes; a negative one counts from the last.\n"}},
    {.compat = false, .package = "", .method = {"chosen", fastcall(&THPVariable_chosen<false>), kFastcall,
        "chosen(input, dim, *, out=None)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  input: Input tensor.\n"
        "  dim: Axis along which the operator computes; a negative one counts from the last.\n"
        "  out: Tuple of the tensors that receive the results, with the dtypes of the results.\n"}},
    {.compat = false, .package = "linalg", .method = {"places", fastcall(&THPVariable_linalg_places<false>), kFastcall,
        "places(input, dim=None, *, out=None)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  input: Input tensor.\n"
        "  dim: Axis along which the operator computes; a negative one counts from the last.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"}},
    {.compat = false, .package = "nn.functional", .method = {"normalized", fastcall(&THPVariable_nn_functional_normalized<false>), kFastcall,
        "normalized(input, weight=None, scales=[0.5, 2.0], *, range=None, flags=[True], out=None)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  input: Input tensor.\n"
        "  out: Tuple of the tensors that receive the results, with the dtypes of the results.\n"}},
    {.compat = false, .package = "", .method = {"numbers", fastcall(&THPVariable_numbers<false>), kFastcall,
        "numbers(distribution, size, *, generator=None, out=None)\n"
        "--\n"
        "\n"
        "Args:\n"
        "  size: Shape of the result.\n"
        "  generator: Source of random numbers; None is the default generator.\n"
        "  out: Tensor that receives the result; it is resized if it has another shape.\n"}},
    {.compat = true, .package = "nn.functional", .method = {"norm_of", fastcall(&THPVariable_nn_functional_norm_of<true>), kFastcall,
        "norm_of(arr, weight=None, scales=[0.5, 2.0], *, range=None, flags=[True])\n"
        "--\n"
        "\n"
        "Args:\n"
        "  arr: Input array, or an object that can be converted to one.\n"}},
    {},
};
const UfuncRow ufuncs[] = {
    {"product", "", 2, 1, &THPVariable_product<true>, nullptr, "(m,n),(n)->(m)", "None",
     nullptr, false,
     nullptr, false,
     "(x1, x2, /, out=None)",
        "Args:\n"
        "  x1: Matrix.\n"
        "  x2: Vector with as many elements as `x1` has columns.\n"
        "  out: Array that receives the result, with the shape of the result.\n"},
    {},
};
const DunderRow dunders[] = {
    {},
};
const ResultRow results[] = {
    {false, "", "chosen", "values indices", &torch_chosen_type},
    {false, "nn.functional", "nn_functional_normalized", "values norm", &torch_nn_functional_normalized_type},
    {true, "nn.functional", "NormalizedResult", "values norm", &numpy_NormalizedResult_type},
    {},
};

}  // namespace

extern const FamilyTables tables;
constinit const FamilyTables tables{tensor_methods, ndarray_methods, functions, ufuncs, dunders, results};

}  // namespace arrays_rows

}  // namespace tnp::python
