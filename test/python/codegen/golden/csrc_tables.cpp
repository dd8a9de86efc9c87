// Generated from native_functions.yaml. See csrc/functions/tables.h.
#include "csrc/functions/tables.h"

#include "aten/functions.h"
#include "aten/operator_tables.h"
#include "csrc/bindings.h"

namespace tnp::python {

namespace {
PyCFunction fastcall(Binding binding) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(binding)); }
constexpr int kFlags = METH_FASTCALL | METH_KEYWORDS;
}  // namespace

PyMethodDef tensor_methods[] = {
    {"twice", fastcall(&THPVariable_twice<false>), kFlags,
        "twice($self, /, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"},
    {"double_up", fastcall(&THPVariable_twice<false>), kFlags,
        "double_up($self, /, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"},
    {"total", fastcall(&THPVariable_total<false>), kFlags,
        "total($self, /, dim=None, keepdim=False, *, dtype=None, out=None)\n"
        "--\n"
        "\n"
        "Sum of `input` over `dim`.\n"},
    {"product", fastcall(&THPVariable_product<false>), kFlags,
        "product($self, /, other, scale=1.5, *, out=None)\n"
        "--\n"},
    {"swapped", fastcall(&THPVariable_swapped<false>), kFlags,
        "swapped($self, /, dim0, dim1)\n"
        "--\n"},
    {"assign_", fastcall(&THPVariable_assign_<false>), kFlags,
        "assign_($self, /, src)\n"
        "--\n"},
    {"twice_", fastcall(&THPVariable_twice_<false>), kFlags,
        "twice_($self, /)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"},
    {"double_up_", fastcall(&THPVariable_twice_<false>), kFlags,
        "double_up_($self, /)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef ndarray_methods[] = {
    {"total", fastcall(&THPVariable_total<true>), kFlags,
        "total($self, /, axis=None, dtype=None, out=None, keepdims=..., initial=..., where=...)\n"
        "--\n"
        "\n"
        "Sum of `a` over `axis`.\n"},
    {nullptr, nullptr, 0, nullptr},
};

namespace {
PyMethodDef torch_functions[] = {
    {"twice", fastcall(&THPVariable_twice<false>), kFlags,
        "twice(input, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"},
    {"double_up", fastcall(&THPVariable_twice<false>), kFlags,
        "double_up(input, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"},
    {"total", fastcall(&THPVariable_total<false>), kFlags,
        "total(input, dim=None, keepdim=False, *, dtype=None, out=None)\n"
        "--\n"
        "\n"
        "Sum of `input` over `dim`.\n"},
    {"filled", fastcall(&THPVariable_filled<false>), kFlags,
        "filled(*size, value=1, dtype=None, order='C', out=None)\n"
        "--\n"},
    {"product", fastcall(&THPVariable_product<false>), kFlags,
        "product(input, other, scale=1.5, *, out=None)\n"
        "--\n"},
    {"swapped", fastcall(&THPVariable_swapped<false>), kFlags,
        "swapped(input, dim0, dim1)\n"
        "--\n"},
    {"joined", fastcall(&THPVariable_joined<false>), kFlags,
        "joined(tensors, dim=0, *, out=None)\n"
        "--\n"
        "\n"
        "Also joined(tensors, *, mode='plain')\n"},
    {"numbers", fastcall(&THPVariable_numbers<false>), kFlags,
        "numbers(distribution, size, *, generator=None, out=None)\n"
        "--\n"},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef torch_functions_linalg[] = {
    {"places", fastcall(&THPVariable_linalg_places<false>), kFlags,
        "places(input, dim=None, *, out=None)\n"
        "--\n"},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef numpy_functions[] = {
    {"total", fastcall(&THPVariable_total<true>), kFlags,
        "total(a, axis=None, dtype=None, out=None, keepdims=..., initial=..., where=...)\n"
        "--\n"
        "\n"
        "Sum of `a` over `axis`.\n"},
    {"filled", fastcall(&THPVariable_filled<true>), kFlags,
        "filled(shape, dtype=..., order='C', *, like=None)\n"
        "--\n"},
    {"product", fastcall(&THPVariable_product<true>), kFlags,
        "product(x1, x2, /, out=None)\n"
        "--\n"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

const FunctionTable function_tables[] = {
    {false, "", torch_functions},
    {false, "linalg", torch_functions_linalg},
    {true, "", numpy_functions},
    {false, nullptr, nullptr},
};

const UfuncRow ufuncs[] = {
    {"twice", "", 1, 1, &THPVariable_twice<true>, &pointwise_ops::twice, "0",
     [](const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype, const ReduceOptions& options) { return tnp::total(input, dim, keepdim, dtype, options); }, true,
     nullptr, false,
        "twice(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None)\n"
        "--\n"
        "\n"
        "Two times `x`.\n"
        "\n"
        "Shapes: as `x`.\n"},
    {"halves", "", 1, 2, &THPVariable_halves<true>, &pointwise_ops::halves, "None",
     nullptr, false,
     nullptr, false,
        "halves(x, /, out=(None, None), *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None)\n"
        "--\n"},
    {nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr, false, nullptr, false, nullptr},
};

}  // namespace tnp::python
