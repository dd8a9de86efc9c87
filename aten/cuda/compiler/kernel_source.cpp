#include "aten/cuda/compiler/kernel_source.h"

#include <set>
#include <unordered_map>

#include "aten/core/errors/error.h"

namespace tnp::gpu {

const FunctorName* functor_of(const PointwiseOp& op) {
  static const auto* known = [] {
    auto* all = new std::unordered_map<const PointwiseOp*, const FunctorName*>;
    for (const FunctorName& f : functor_names()) all->emplace(f.op, &f);
    return all;
  }();
  const auto found = known->find(&op);
  return found == known->end() ? nullptr : found->second;
}

const char* cpp_type(ScalarType dtype) {
  static constexpr const char* kTypes[kNumScalarTypes] = {
      "bool",    "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t",         "int16_t",        "int32_t",
      "int64_t", "Half",    "BFloat16", "float",    "double",   "Complex<float>", "Complex<double>"};
  return kTypes[static_cast<int>(dtype)];
}

namespace {

const char* reader(FusedKernel::Reading reading) {
  switch (reading) {
    case FusedKernel::Reading::Elements:
      return "elements";
    case FusedKernel::Reading::Periodic:
      return "periodic";
    case FusedKernel::Reading::One:
      return "one";
    case FusedKernel::Reading::Number:
      return "number";
  }
  return "";
}

std::string value(size_t i) { return "v" + std::to_string(i); }

// Expression for operand k of an operation, with the same casts as pointwise().
std::string argument(const FusedKernel& kernel, const FusedKernel::Operation& o, size_t k) {
  const auto place = static_cast<size_t>(o.operands[k]);
  const size_t inputs = kernel.inputs.size();
  const ScalarType dtype = place < inputs ? kernel.inputs[place].dtype : kernel.operations[place - inputs].result;
  const ScalarType wanted = o.loop->types[o.op->nout + k];
  std::string text = value(place) + "[k]";
  const auto convert = [&](ScalarType to) { text = std::string("convert<") + cpp_type(to) + ">(" + text + ")"; };
  const bool is_exact = is_integral(dtype) && element_size(dtype) == 1;
  const bool is_rounded =
      is_reduced_float(o.compute) && wanted == ScalarType::Float32 && dtype != o.compute && !is_exact && !o.is_kept[k];
  if (is_rounded) convert(o.compute);
  if (is_rounded || dtype != wanted) convert(wanted);
  return text;
}

}  // namespace

std::string kernel_source(const FusedKernel& kernel) {
  std::string source = "#include \"aten/cuda/compiler/fused_kernel.h\"\n";
  std::set<std::string> headers;
  for (const auto& o : kernel.operations) {
    const FunctorName* functor = functor_of(*o.op);
    TNP_INTERNAL_ASSERT(functor && o.op->nout == 1);
    headers.insert(functor->header);
  }
  for (const std::string& header : headers) source += "#include \"aten/functors/" + header + "\"\n";
  const size_t inputs = kernel.inputs.size();
  source += "\nnamespace tnp::gpu::fused_kernel {\nstruct Kernel {\n  Operand operands[" +
            std::to_string(inputs + kernel.outputs.size()) +
            "];\n  template <int V>\n  TNP_HOST_DEVICE void run(uint32_t i) const {\n";
  const auto declare = [&](ScalarType dtype, size_t i, const std::string& text) {
    source += "    " + std::string(cpp_type(dtype)) + " " + value(i) + "[V];\n    TNP_EACH " + value(i) +
              "[k] = " + text + ";\n";
  };
  for (size_t i = 0; i < inputs; ++i)
    declare(kernel.inputs[i].dtype, i,
            std::string(reader(kernel.inputs[i].reading)) + "<" + cpp_type(kernel.inputs[i].dtype) + ">(operands[" +
                std::to_string(i) + "], i + k * kThreads)");
  for (size_t j = 0; j < kernel.operations.size(); ++j) {
    const FusedKernel::Operation& o = kernel.operations[j];
    std::string call = std::string(functor_of(*o.op)->name) + "<" + cpp_type(o.loop->key) + ">{}(";
    for (size_t k = 0; k < o.op->nin; ++k) call += (k > 0 ? ", " : "") + argument(kernel, o, k);
    call += ")";
    if (o.loop->types[0] != o.result) call = std::string("convert<") + cpp_type(o.result) + ">(" + call + ")";
    declare(o.result, inputs + j, call);
  }
  for (size_t i = 0; i < kernel.outputs.size(); ++i)
    source += "    TNP_EACH store(operands[" + std::to_string(inputs + i) + "], i + k * kThreads, " +
              value(inputs + static_cast<size_t>(kernel.outputs[i])) + "[k]);\n";
  return source +
         "  }\n};\n}  // namespace tnp::gpu::fused_kernel\n\nTNP_FUSED_KERNEL(tnp::gpu::fused_kernel::Kernel)\n";
}

}  // namespace tnp::gpu
