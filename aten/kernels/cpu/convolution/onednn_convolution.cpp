// Convolutions with oneDNN, with a cache of plans.
//
// Note [Plans of oneDNN] A plan holds oneDNN's objects for a convolution of given sizes, strides
// and dtypes, and is cached. It consists of the primitive and of reorder primitives, which convert
// operands to the blocked layouts that the primitive computes in (blocks of as many channels as a
// register holds). Channels-last operands are used as they are. Scratch memory is allocated with
// our allocator in each call. A weight that is used again is cached in its layout: Note [Kept
// weights]. Images are converted to blocks of channels by our own copies, because oneDNN's copies
// (version 3.2) take several times as long.
//
// In oneDNN's C interface the gradient of the input has no bias. The result of that primitive may
// be float32 for 16-bit operands.
#include "aten/kernels/cpu/convolution/onednn_convolution.h"

#include <cstring>
#include <memory>
#include <vector>

#include "aten/core/containers/recently_used.h"
#include "aten/core/threads/capability.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/memory_format.h"
#include "aten/kernels/convolution.h"
#include "aten/kernels/cpu/convolution/kept_weight.h"
#include "aten/kernels/cpu/linalg/onednn_library.h"
#include "aten/kernels/cpu/linalg/onednn_objects.h"

namespace tnp::onednn {

namespace {

using Key = std::vector<int64_t>;

// An operand: the caller's layout (`given`) and the primitive's layout (`used`).
struct Place {
  explicit Place(const Library& lib) : given(lib.memory_desc_destroy), reorder(lib.primitive_destroy) {}
  Owned<dnnl_memory_desc_t> given;
  bool written = false;
  const_dnnl_memory_desc_t used = nullptr;  // owned by the primitive descriptor
  bool apart = false;                       // `used` differs from `given`
  // Channels per block in `used`, if our own copies can convert to that layout. 0 means that
  // `reorder` is used.
  int64_t block = 0;
  Owned<dnnl_primitive_t> reorder;
  size_t bytes = 0;  // size of `used`, if `apart`
};

struct Plan {
  explicit Plan(const Library& l)
      : lib(l),
        hint(l.primitive_desc_destroy),
        desc(l.primitive_desc_destroy),
        primitive(l.primitive_destroy),
        x(l),
        weight(l),
        y(l),
        bias(l.memory_desc_destroy) {}
  const Library& lib;
  Owned<dnnl_primitive_desc_t> hint, desc;
  Owned<dnnl_primitive_t> primitive;
  Place x, weight, y;
  // The key of weight.used in the cache of weights. Empty if copies are not worth caching.
  std::vector<int64_t> weight_layout;
  Owned<dnnl_memory_desc_t> bias;
  const_dnnl_memory_desc_t scratchpad = nullptr;
  size_t scratch_bytes = 0;
  bool usable = false;
};

dnnl_data_type_t type_of(ScalarType t) {
  return t == ScalarType::Float32 ? dnnl_f32 : t == ScalarType::Float16 ? dnnl_f16 : dnnl_bf16;
}

// The weight's sizes and strides with a leading axis of groups, as oneDNN expects them.
void grouped(const ConvolutionCall& call, DimVector& sizes, DimVector& strides) {
  const Tensor& w = call.weight;
  sizes = {}, strides = {};
  if (call.groups > 1) {
    sizes.push_back(call.groups);
    strides.push_back(w.stride(0) * (w.size(0) / call.groups));
  }
  for (int64_t d = 0; d < w.dim(); ++d) {
    sizes.push_back(d == 0 ? w.size(0) / call.groups : w.size(d));
    strides.push_back(w.stride(d));
  }
}

class PlanBuilder {
 public:
  PlanBuilder(const Library& lib, const ConvolutionCall& call) : lib_(lib), call_(call) {}

  std::shared_ptr<Plan> build() {
    auto plan = std::make_shared<Plan>(lib_);
    (call_.pass == Pass::Forward ? plan->y : call_.pass == Pass::Input ? plan->x : plan->weight).written = true;
    plan->usable = describe(*plan) && reorders(*plan);
    if (plan->usable && plan->weight.apart && !plan->weight.written) plan->weight_layout = layout_of(*plan);
    return plan;
  }

 private:
  bool create(Owned<dnnl_memory_desc_t>& desc, const Tensor& t, IntList sizes, IntList strides) {
    return lib_.memory_desc_create_with_strides(desc.address(), static_cast<int>(sizes.size()), sizes.data(),
                                                type_of(t.dtype()), strides.data()) == dnnl_success;
  }
  bool create(Owned<dnnl_memory_desc_t>& desc, const Tensor& t) { return create(desc, t, t.sizes(), t.strides()); }
  bool create_any(Owned<dnnl_memory_desc_t>& desc, const Tensor& t, IntList sizes) {
    return lib_.memory_desc_create_with_tag(desc.address(), static_cast<int>(sizes.size()), sizes.data(),
                                            type_of(t.dtype()), dnnl_format_tag_any) == dnnl_success;
  }

  bool create_blocked(Owned<dnnl_memory_desc_t>& desc, const Tensor& t, int64_t block) {
    constexpr dnnl_format_tag_t kTags[][2] = {
        {dnnl_aBc16b, dnnl_aBc8b}, {dnnl_aBcd16b, dnnl_aBcd8b}, {dnnl_aBcde16b, dnnl_aBcde8b}};
    return t.size(1) % block == 0 &&
           lib_.memory_desc_create_with_tag(desc.address(), static_cast<int>(t.dim()), t.sizes().data(),
                                            type_of(t.dtype()), kTags[t.dim() - 3][block == 8]) == dnnl_success;
  }
  // Lets the primitive choose its layout. In the forward pass, blocks with as many channels as a
  // register has lanes are forced where they are as fast and the conversion is cheaper.
  bool create_free(Owned<dnnl_memory_desc_t>& desc, const Tensor& t) {
    const bool blocked = call_.pass == Pass::Forward && t.dtype() == ScalarType::Float32 &&
                         cpu_capability() == CpuCapability::AVX512 && call_.x.size(1) % 16 == 0 &&
                         call_.y.size(1) % 16 == 0 && call_.groups == 1;
    return blocked ? create_blocked(desc, t, 16) : create_any(desc, t, t.sizes());
  }

  bool describe(Plan& plan) {
    const Tensor &x = call_.x, &y = call_.y, &weight = call_.weight;
    DimVector sizes, strides;
    grouped(call_, sizes, strides);
    Owned<dnnl_memory_desc_t> any_x(lib_.memory_desc_destroy), any_y(lib_.memory_desc_destroy),
        any_weight(lib_.memory_desc_destroy);
    if (!create(plan.x.given, x) || !create(plan.y.given, y) || !create(plan.weight.given, weight, sizes, strides) ||
        !create_free(any_x, x) || !create_free(any_y, y) || !create_any(any_weight, weight, sizes)) {
      return false;
    }
    if (call_.bias.defined() && !create(plan.bias, call_.bias, call_.bias.sizes(), IntList{1})) return false;
    const bool last = prefers_channels_last(x) || prefers_channels_last(y);
    const_dnnl_memory_desc_t dx = last ? plan.x.given : any_x, dy = last ? plan.y.given : any_y;
    DimVector spread = {}, left(call_.padding), right = {};
    for (size_t d = 0; d < left.size(); ++d) {
      spread.push_back(call_.dilation[d] - 1);
      const int64_t reach = call_.dilation[d] * (weight.sizes()[2 + d] - 1);
      right.push_back((y.sizes()[2 + d] - 1) * call_.stride[d] + reach + 1 - x.sizes()[2 + d] - left[d]);
    }
    Owned<dnnl_primitive_attr_t> attr(lib_.primitive_attr_destroy);
    if (lib_.primitive_attr_create(attr.address()) != dnnl_success ||
        lib_.primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user) != dnnl_success) {
      return false;
    }
    const bool forward = call_.pass == Pass::Forward;
    Owned<dnnl_primitive_desc_t>& first = forward ? plan.desc : plan.hint;
    if (lib_.convolution_forward_primitive_desc_create(
            first.address(), lib_.cpu, forward ? dnnl_forward_inference : dnnl_forward_training,
            dnnl_convolution_direct, dx, any_weight, plan.bias, dy, call_.stride.data(), spread.data(), left.data(),
            right.data(), attr) != dnnl_success) {
      return false;
    }
    if (call_.pass == Pass::Input &&
        lib_.convolution_backward_data_primitive_desc_create(
            plan.desc.address(), lib_.cpu, dnnl_convolution_direct, dx, any_weight, dy, call_.stride.data(),
            spread.data(), left.data(), right.data(), plan.hint, attr) != dnnl_success) {
      return false;
    }
    if (call_.pass == Pass::Weight &&
        lib_.convolution_backward_weights_primitive_desc_create(
            plan.desc.address(), lib_.cpu, dnnl_convolution_direct, dx, any_weight, plan.bias, dy, call_.stride.data(),
            spread.data(), left.data(), right.data(), plan.hint, attr) != dnnl_success) {
      return false;
    }
    // Rejects oneDNN's reference loops, and its gradients of the input by matrices of columns, which are slower
    // than our loops.
    const char* kernel = nullptr;
    lib_.primitive_desc_query(plan.desc, dnnl_query_impl_info_str, 0, static_cast<void*>(&kernel));
    if (!kernel || std::strstr(kernel, "ref")) return false;
    if (call_.pass == Pass::Input && std::strstr(kernel, "gemm:jit")) return false;
    plan.scratchpad = lib_.primitive_desc_query_md(plan.desc, dnnl_query_scratchpad_md, 0);
    plan.scratch_bytes = lib_.memory_desc_get_size(plan.scratchpad);
    plan.x.used = query(plan, call_.pass == Pass::Input ? dnnl_query_diff_src_md : dnnl_query_src_md);
    plan.y.used = query(plan, forward ? dnnl_query_dst_md : dnnl_query_diff_dst_md);
    plan.weight.used = query(plan, call_.pass == Pass::Weight ? dnnl_query_diff_weights_md : dnnl_query_weights_md);
    return lib_.primitive_create(plan.primitive.address(), plan.desc) == dnnl_success;
  }
  const_dnnl_memory_desc_t query(const Plan& plan, dnnl_query_t what) const {
    return lib_.primitive_desc_query_md(plan.desc, what, 0);
  }

  // The number of channels per block if `desc` is a blocked (or channels-last) layout of the
  // row-major `t`; else 0.
  int64_t block_of(const Tensor& t, const_dnnl_memory_desc_t desc) {
    if (!t.is_contiguous()) return 0;
    for (const int64_t block : {16, 8}) {
      Owned<dnnl_memory_desc_t> blocked(lib_.memory_desc_destroy);
      if (create_blocked(blocked, t, block) && lib_.memory_desc_equal(blocked, desc)) return block;
    }
    Owned<dnnl_memory_desc_t> last(lib_.memory_desc_destroy);
    const bool is_last =
        create(last, t, t.sizes(), channels_last_strides(t.sizes())) && lib_.memory_desc_equal(last, desc);
    return is_last ? t.size(1) : 0;
  }

  bool reorders(Plan& plan) {
    for (Place* place : {&plan.x, &plan.weight, &plan.y}) {
      if (lib_.memory_desc_equal(place->given, place->used)) continue;
      place->apart = true;
      if (place != &plan.weight) place->block = block_of(place == &plan.x ? call_.x : call_.y, place->used);
      place->bytes = lib_.memory_desc_get_size(place->used);
      if (place->block > 0) continue;
      const_dnnl_memory_desc_t from = place->written ? place->used : place->given,
                               to = place->written ? place->given : place->used;
      Owned<dnnl_primitive_desc_t> desc(lib_.primitive_desc_destroy);
      if (lib_.reorder_primitive_desc_create(desc.address(), from, lib_.cpu, to, lib_.cpu, nullptr) != dnnl_success ||
          lib_.primitive_create(place->reorder.address(), desc) != dnnl_success) {
        return false;
      }
    }
    return true;
  }

  std::vector<int64_t> layout_of(const Plan& plan) const {
    const_dnnl_memory_desc_t desc = plan.weight.used;
    std::vector<int64_t> layout{call_.groups};
    dnnl_format_kind_t kind = dnnl_format_kind_undef;
    int axes = 0, blocks = 0;
    bool known = lib_.memory_desc_query(desc, dnnl_query_format_kind, &kind) == dnnl_success && kind == dnnl_blocked &&
                 lib_.memory_desc_query(desc, dnnl_query_ndims_s32, &axes) == dnnl_success &&
                 lib_.memory_desc_query(desc, dnnl_query_inner_nblks_s32, &blocks) == dnnl_success;
    const auto read = [&](dnnl_query_t what, int count) {
      const dnnl_dims_t* numbers = nullptr;
      known = known && lib_.memory_desc_query(desc, what, static_cast<void*>(&numbers)) == dnnl_success;
      if (known) layout.insert(layout.end(), *numbers, *numbers + count);
    };
    read(dnnl_query_padded_dims, axes);
    read(dnnl_query_strides, axes);
    read(dnnl_query_inner_blks, blocks);
    read(dnnl_query_inner_idxs, blocks);
    return known ? layout : std::vector<int64_t>();
  }

  const Library& lib_;
  const ConvolutionCall& call_;
};

std::shared_ptr<Plan> plan_of(const Library& lib, const ConvolutionCall& call) {
  static auto& plans = *new RecentlyUsed<Key, std::shared_ptr<Plan>, 256>;
  Key key;
  key.reserve(48);
  key.insert(key.end(),
             {static_cast<int64_t>(call.pass), static_cast<int64_t>(call.x.dtype()),
              static_cast<int64_t>(call.weight.dtype()), call.groups, call.bias.defined(), get_num_threads()});
  for (const Tensor* t : {&call.x, &call.weight, &call.y}) {
    key.insert(key.end(), t->sizes().begin(), t->sizes().end());
    key.insert(key.end(), t->strides().begin(), t->strides().end());
  }
  for (IntList list : {call.stride, call.padding, call.dilation}) key.insert(key.end(), list.begin(), list.end());
  return plans.get(key, [&](const Key&) { return PlanBuilder(lib, call).build(); });
}

size_t round_up(size_t bytes) { return (bytes + 63) / 64 * 64; }
Tensor aligned_bytes(size_t bytes) {
  return empty_tensor({static_cast<int64_t>(round_up(bytes) + 64)}, ScalarType::UInt8);
}
// The first address in `bytes` that is aligned to a cache line.
char* aligned(const Tensor& bytes) {
  return reinterpret_cast<char*>(round_up(reinterpret_cast<uintptr_t>(bytes.data())));
}

// Runs primitives in this thread's stream.
class Execution {
 public:
  explicit Execution(const Library& lib) : lib_(lib), stream_(stream_of_this_thread(lib)) {}
  bool reorder(dnnl_primitive_t primitive, dnnl_memory_t from, dnnl_memory_t to) {
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    return lib_.primitive_execute(primitive, stream_, 2, arguments) == dnnl_success;
  }
  bool run(dnnl_primitive_t primitive, std::initializer_list<dnnl_exec_arg_t> arguments) {
    return lib_.primitive_execute(primitive, stream_, static_cast<int>(arguments.size()), arguments.begin()) ==
           dnnl_success;
  }
  bool wait() { return lib_.stream_wait(stream_) == dnnl_success; }

 private:
  const Library& lib_;
  dnnl_stream_t stream_;
};

// The memory of an operand in the caller's layout and in the primitive's layout. Both may be the
// same memory.
class Bound {
 public:
  Bound(const Plan& plan, const Place& place, const Tensor& t, const Tensor& memory, char* apart)
      : given_(plan.lib.memory_destroy),
        used_(plan.lib.memory_destroy),
        place_(place),
        tensor_(t),
        memory_(memory),
        apart_(apart) {
    const Library& lib = plan.lib;
    good_ = lib.memory_create(given_.address(), place.given, lib.cpu, t.data()) == dnnl_success &&
            (!place.apart || lib.memory_create(used_.address(), place.used, lib.cpu, apart) == dnnl_success);
  }
  bool good() const { return good_; }
  dnnl_memory_t used() const { return place_.apart ? used_ : given_; }

  // Converts an input from the caller's to the primitive's layout.
  bool fetch(Execution& now) const { return place_.written || move(now, false); }
  // Converts a result from the primitive's to the caller's layout.
  bool deliver(Execution& now) const { return !place_.written || move(now, true); }

 private:
  bool move(Execution& now, bool back) const {
    if (!place_.apart) return true;
    if (place_.block == 0)
      return back ? now.reorder(place_.reorder, used_, given_) : now.reorder(place_.reorder, given_, used_);
    const int64_t block = place_.block, pixels = tensor_.numel() / tensor_.size(0) / tensor_.size(1);
    const int64_t sizes[] = {tensor_.numel() / block / pixels, block, pixels};
    const int64_t rows[] = {block * pixels, pixels, 1}, blocks[] = {block * pixels, 1, block};
    const Tensor ours = view_of(tensor_, sizes, rows, tensor_.address()),
                 theirs = view_of(memory_, sizes, blocks, apart_, tensor_.dtype());
    if (back && !now.wait()) return false;
    copy_into(back ? ours : theirs, back ? theirs : ours);
    return true;
  }

  Owned<dnnl_memory_t> given_, used_;
  const Place& place_;
  const Tensor &tensor_, &memory_;  // `apart_` points into memory_
  char* apart_;
  bool good_;
};

}  // namespace

bool convolve(const ConvolutionCall& call) {
  const ScalarType dtype = call.x.dtype();
  if (dtype != ScalarType::Float32 && !is_reduced_float(dtype)) return false;
  TNP_INTERNAL_ASSERT(call.pass != Pass::Input || !call.bias.defined());
  const Library* lib = library();
  if (!lib) return false;
  const std::shared_ptr<Plan> shared = plan_of(*lib, call);
  const Plan& plan = *shared;
  if (!plan.usable) return false;
  std::optional<KeptWeight> kept;
  if (!plan.weight_layout.empty()) kept.emplace(call.weight, plan.weight_layout);
  const bool is_kept = kept && kept->copy().defined(), is_wanted = kept && kept->is_wanted();
  const Tensor own_weight = is_kept ? kept->copy() : is_wanted ? aligned_bytes(plan.weight.bytes) : Tensor();
  const size_t sizes[] = {round_up(plan.x.bytes), own_weight.defined() ? 0 : round_up(plan.weight.bytes),
                          round_up(plan.y.bytes), round_up(plan.scratch_bytes)};
  const Tensor memory = aligned_bytes(sizes[0] + sizes[1] + sizes[2] + sizes[3]);
  char* at = aligned(memory);
  const Bound x(plan, plan.x, call.x, memory, at),
      weight(plan, plan.weight, call.weight, memory, own_weight.defined() ? aligned(own_weight) : at + sizes[0]),
      y(plan, plan.y, call.y, memory, at + sizes[0] + sizes[1]);
  Owned<dnnl_memory_t> scratchpad(lib->memory_destroy), bias(lib->memory_destroy);
  if (!x.good() || !weight.good() || !y.good() ||
      lib->memory_create(scratchpad.address(), plan.scratchpad, lib->cpu, at + sizes[0] + sizes[1] + sizes[2]) !=
          dnnl_success) {
    return false;
  }
  if (call.bias.defined() &&
      lib->memory_create(bias.address(), plan.bias, lib->cpu, call.bias.data()) != dnnl_success) {
    return false;
  }
  std::optional<LongWork> long_work;
  if (call.weight.numel() * call.y.numel() / call.y.size(1) > 1'000'000) long_work.emplace();
  Execution now(*lib);
  if (!x.fetch(now) || !(is_kept || weight.fetch(now)) || !y.fetch(now)) return false;
  bool good = false;
  switch (call.pass) {
    case Pass::Forward:
      good = now.run(plan.primitive, {{DNNL_ARG_SRC, x.used()},
                                      {DNNL_ARG_WEIGHTS, weight.used()},
                                      {DNNL_ARG_DST, y.used()},
                                      {DNNL_ARG_SCRATCHPAD, scratchpad},
                                      {DNNL_ARG_BIAS, bias}});
      break;
    case Pass::Input:
      good = now.run(plan.primitive, {{DNNL_ARG_DIFF_SRC, x.used()},
                                      {DNNL_ARG_WEIGHTS, weight.used()},
                                      {DNNL_ARG_DIFF_DST, y.used()},
                                      {DNNL_ARG_SCRATCHPAD, scratchpad}});
      break;
    case Pass::Weight:
      good = now.run(plan.primitive, {{DNNL_ARG_SRC, x.used()},
                                      {DNNL_ARG_DIFF_WEIGHTS, weight.used()},
                                      {DNNL_ARG_DIFF_DST, y.used()},
                                      {DNNL_ARG_SCRATCHPAD, scratchpad},
                                      {DNNL_ARG_DIFF_BIAS, bias}});
      break;
  }
  good = good && x.deliver(now) && weight.deliver(now) && y.deliver(now);
  good = now.wait() && good;
  if (good && is_wanted) kept->keep(own_weight);
  return good;
}

}  // namespace tnp::onednn
