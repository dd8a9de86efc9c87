// From a functor to kernels: gpu::make_loops<Add, ComputeTypes>() is the table of a PointwiseOp for CUDA. Included by
// generated translation units, one per functor file.
//
// There are two kernels for each functor and type: one for operands that lie densely, which moves 16 bytes of the widest
// operand at a time, and one that goes by index, for any strides and a mask. Both take operands of every dtype.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/launch.h"
#include "aten/kernels/cuda/pieces.h"
#include "aten/kernels/functors/functor.h"
#include "aten/kernels/pointwise.h"

namespace tnp::gpu {

// Registers of the operands: V elements of each type.
template <size_t I, class T, int V>
struct Slot {
  T item[V];
};
template <class Index, int V, class... Ts>
struct Slots;
template <size_t... I, int V, class... Ts>
struct Slots<std::index_sequence<I...>, V, Ts...> : Slot<I, Ts, V>... {};
template <size_t I, class T, int V>
TNP_HOST_DEVICE TNP_INLINE T (&slot(Slot<I, T, V>& s))[V] { return s.item; }

template <class F, class Outputs = typename FunctorTraits<F>::Outputs, class Inputs = typename FunctorTraits<F>::Inputs>
struct PointwiseKernels;

template <class F, class... Outs, class... Ins>
struct PointwiseKernels<F, TypeList<Outs...>, TypeList<Ins...>> {
  static constexpr int nout = sizeof...(Outs), nin = sizeof...(Ins), kOperands = nout + nin;
  static constexpr int kWidth = static_cast<int>(16 / std::max({sizeof(Outs)..., sizeof(Ins)...}));
  static constexpr uint32_t kBlock = 256;
  using OutIndex = std::make_index_sequence<nout>;
  using InIndex = std::make_index_sequence<nin>;
  template <int V>
  using OutSlots = Slots<OutIndex, V, Outs...>;
  template <int V>
  using InSlots = Slots<InIndex, V, Ins...>;

  template <int V, size_t... I>
  TNP_HOST_DEVICE static TNP_INLINE void compute(OutSlots<V>& out, InSlots<V>& in, std::index_sequence<I...>) {
    TNP_UNROLL
    for (int i = 0; i < V; ++i) {
      const auto value = F{}(slot<I>(in)[i]...);
      if constexpr (nout == 1) {
        slot<0>(out)[i] = value;
      } else {
        slot<0>(out)[i] = value.first;
        slot<1>(out)[i] = value.second;
      }
    }
  }

  template <class T>
  TNP_HOST_DEVICE static TNP_INLINE T constant(const OperandArguments& o) {
    if (o.reading == Reading::Value) return static_cast<T>(*reinterpret_cast<const stored_t<T>*>(o.value));
    return load_element<T>(o.data, o.dtype);
  }

  struct Dense {
    static constexpr uint32_t kThreads = kBlock;
    DenseArguments<kOperands> a;

    template <class T, int V>
    TNP_HOST_DEVICE TNP_INLINE void load(const OperandArguments& o, uint32_t i, T (&to)[V]) const {
      if (o.reading == Reading::Elements) {
        const char* at = o.data + static_cast<int64_t>(i) * o.size;
        if constexpr (V == 1) to[0] = load_element<T>(at, o.dtype);
        else load_elements(at, o.dtype, o.size, to);
        return;
      }
      const T value = constant<T>(o);
      TNP_UNROLL
      for (int k = 0; k < V; ++k) to[k] = value;
    }
    template <class T, int V>
    TNP_HOST_DEVICE TNP_INLINE void store(const OperandArguments& o, uint32_t i, const T (&from)[V]) const {
      char* at = o.data + static_cast<int64_t>(i) * o.size;
      if constexpr (V == 1) store_element<T>(at, o.dtype, from[0]);
      else store_elements(at, o.dtype, o.size, from);
    }
    template <int V, size_t... I, size_t... O>
    TNP_HOST_DEVICE TNP_INLINE void map(uint32_t i, std::index_sequence<I...>, std::index_sequence<O...>) const {
      InSlots<V> in;
      OutSlots<V> out;
      (load(a.operands[nout + I], i, slot<I>(in)), ...);
      compute<V>(out, in, InIndex{});
      (store(a.operands[O], i, slot<O>(out)), ...);
    }

    TNP_HOST_DEVICE void run(Place place) const {
      uint32_t i = (place.block * kBlock + place.thread) * kWidth;
      if (i + kWidth <= a.numel) return map<kWidth>(i, InIndex{}, OutIndex{});
      for (; i < a.numel; ++i) map<1>(i, InIndex{}, OutIndex{});
    }
  };

  struct Strided {
    static constexpr uint32_t kThreads = kBlock, kItems = 4;
    StridedArguments<kOperands> a;

    template <size_t... I, size_t... O>
    TNP_HOST_DEVICE TNP_INLINE void map(uint32_t i, std::index_sequence<I...>, std::index_sequence<O...>) const {
      int64_t offset[kOperands + 1] = {};
      for (int d = 0; d < a.ndim; ++d) {
        const uint32_t rest = a.dims[d].quotient(i), at = i - rest * a.dims[d].divisor;
        TNP_UNROLL
        for (int k = 0; k <= kOperands; ++k) offset[k] += at * a.steps[k][d];
        i = rest;
      }
      if (a.mask && !a.mask[offset[kOperands]]) return;
      InSlots<1> in;
      OutSlots<1> out;
      ((slot<I>(in)[0] = load<Ins>(a.operands[nout + I], offset[nout + I])), ...);
      compute<1>(out, in, InIndex{});
      (store_element<Outs>(a.operands[O].data + offset[O], a.operands[O].dtype, slot<O>(out)[0]), ...);
    }
    template <class T>
    TNP_HOST_DEVICE TNP_INLINE static T load(const OperandArguments& o, int64_t offset) {
      return o.reading == Reading::Value ? constant<T>(o) : load_element<T>(o.data + offset, o.dtype);
    }

    TNP_HOST_DEVICE void run(Place place) const {
      uint32_t i = place.block * (kBlock * kItems) + place.thread;
      for (uint32_t k = 0; k < kItems && i < a.numel; ++k, i += kBlock) map(i, InIndex{}, OutIndex{});
    }
  };

  static void launch(const IterationPlan& plan) {
    for_each_piece(plan, {}, [&](const Piece& piece) {
      auto blocks = [&](uint32_t each) { return (piece.numel + each - 1) / each; };
      if (is_dense(plan, piece, kWidth)) gpu::launch(Dense{dense_arguments<kOperands>(plan, piece)}, blocks(kBlock * kWidth), plan.device);
      else gpu::launch(Strided{strided_arguments<kOperands>(plan, piece)}, blocks(kBlock * Strided::kItems), plan.device);
    });
  }

  static constexpr PointwiseLoop loop(ScalarType key) {
    return {.key = key, .types = {scalar_type_of<Outs>..., scalar_type_of<Ins>...}, .launch = &launch};
  }
};

template <template <class> class F, class List>
struct LoopTable;
template <template <class> class F, class... Ts>
struct LoopTable<F, TypeList<Ts...>> {
  static constexpr PointwiseLoop loops[sizeof...(Ts)] = {PointwiseKernels<F<Ts>>::loop(scalar_type_of<Ts>)...};
};

template <template <class> class F, class List>
std::span<const PointwiseLoop> make_loops() { return LoopTable<F, List>::loops; }

}  // namespace tnp::gpu
