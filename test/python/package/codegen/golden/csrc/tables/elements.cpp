// Generated from native_functions/elements.yaml. See csrc/functions/tables.h.
#include "csrc/functions/tables.h"

#include "aten/functions/elements.h"
#include "aten/operator_tables/elements.h"
#include "csrc/bindings/elements.h"

namespace tnp::python {

namespace {

[[maybe_unused]] PyCFunction fastcall(Binding binding) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(binding)); }
[[maybe_unused]] constexpr int kFlags = METH_FASTCALL | METH_KEYWORDS;

PyMethodDef tensor_methods[] = {
    {"twice", fastcall(&THPVariable_twice<false>), kFlags,
        "twice($self, /, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: none of its own.\n"},
    {"double_up", fastcall(&THPVariable_twice<false>), kFlags,
        "double_up($self, /, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: none of its own.\n"},
    {"total", fastcall(&THPVariable_total<false>), kFlags,
        "total($self, /, dim=None, keepdim=False, *, dtype=None, out=None)\n"
        "--\n"
        "\n"
        "Sum of `input` over `dim`.\n"},
    {"twice_", fastcall(&THPVariable_twice_<false>), kFlags,
        "twice_($self, /)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: none of its own.\n"},
    {"double_up_", fastcall(&THPVariable_twice_<false>), kFlags,
        "double_up_($self, /)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: none of its own.\n"},
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
FunctionRow functions[] = {
    {.compat = false, .package = "", .method = {"twice", fastcall(&THPVariable_twice<false>), kFlags,
        "twice(input, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: none of its own.\n"}},
    {.compat = false, .package = "", .method = {"double_up", fastcall(&THPVariable_twice<false>), kFlags,
        "double_up(input, *, out=None)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: none of its own.\n"}},
    {.compat = false, .package = "", .method = {"total", fastcall(&THPVariable_total<false>), kFlags,
        "total(input, dim=None, keepdim=False, *, dtype=None, out=None)\n"
        "--\n"
        "\n"
        "Sum of `input` over `dim`.\n"}},
    {.compat = true, .package = "", .method = {"total", fastcall(&THPVariable_total<true>), kFlags,
        "total(a, axis=None, dtype=None, out=None, keepdims=..., initial=..., where=...)\n"
        "--\n"
        "\n"
        "Sum of `a` over `axis`.\n"}},
    {.compat = false, .package = "", .method = {"twice_", fastcall(&THPVariable_twice_<false>), kFlags,
        "twice_(input)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: none of its own.\n"}},
    {.compat = false, .package = "", .method = {"double_up_", fastcall(&THPVariable_twice_<false>), kFlags,
        "double_up_(input)\n"
        "--\n"
        "\n"
        "Two times `input`.\n"
        "\n"
        "Shapes: as `input`.\n"
        "Errors: none of its own.\n"}},
    {},
};
const UfuncRow ufuncs[] = {
    {"twice", "", 1, 1, &THPVariable_twice<true>, &pointwise_ops::twice, nullptr, "0",
     [](const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype, const ReduceOptions& options) { return tnp::total(input, dim, keepdim, dtype, options); }, true,
     nullptr, false,
     "(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None)",
        "Two times `x`.\n"
        "\n"
        "Shapes: as `x`.\n"
        "Errors: none of its own.\n"},
    {"halves", "", 1, 2, &THPVariable_halves<true>, &pointwise_ops::halves, nullptr, "None",
     nullptr, false,
     nullptr, false,
     "(y, /, out=(None, None), *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None)",
        "Shapes: of both results as `y`.\n"
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

extern const FamilyTables elements_tables;
constinit const FamilyTables elements_tables{tensor_methods, ndarray_methods, functions, ufuncs, dunders, results};

}  // namespace tnp::python
