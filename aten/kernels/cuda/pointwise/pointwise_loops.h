// Generates CUDA kernels from a functor: gpu::make_loops<Add, ComputeTypes>() is the CUDA table of
// a PointwiseOp. Included by generated translation units, one per functor file.
//
// There are two kernels per functor and type. The packed one moves 16 bytes of the widest operand
// at a time; it needs operands whose lines are dense, or a single element each. The strided one
// reads and writes single elements and supports any strides and a mask. Both accept operands of
// every dtype.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "aten/cuda/launch.h"
#include "aten/functors/functor.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/pointwise/launch_tiles.h"
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
TNP_HOST_DEVICE TNP_INLINE T (&slot(Slot<I, T, V>& s))[V] {
  return s.item;
}

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

  // Offsets of element `i`, in bytes; the last one is the mask's.
  struct Offsets {
    int64_t of[kOperands + 1];
  };
  TNP_HOST_DEVICE TNP_INLINE static Offsets locate(const StridedArguments<kOperands>& a, uint32_t i) {
    Offsets offsets = {};
    for (int d = 0; d < a.ndim; ++d) {
      const uint32_t rest = a.dims[d].quotient(i), at = i - rest * a.dims[d].divisor;
      TNP_UNROLL
      for (int k = 0; k <= kOperands; ++k) offsets.of[k] += at * a.steps[k][d];
      i = rest;
    }
    return offsets;
  }

  // Packed kernel: one thread per pack, with one offset computation, and one load or store per
  // operand.
  struct Packed {
    static constexpr uint32_t kThreads = kBlock;
    StridedArguments<kOperands> a;

    TNP_HOST_DEVICE TNP_INLINE Offsets place_of(uint32_t i) const {
      if (a.ndim > 1) return locate(a, i);
      Offsets offsets;
      TNP_UNROLL
      for (int k = 0; k < kOperands; ++k) offsets.of[k] = i * a.steps[k][0];
      return offsets;
    }
    template <class T, int V>
    TNP_HOST_DEVICE TNP_INLINE static void fetch(const OperandArguments& o, int64_t offset, Loaded<T, V>& to) {
      if (o.reading == Reading::Elements) load(o.data + offset, o.dtype, to);
    }
    template <class T, int V>
    TNP_HOST_DEVICE TNP_INLINE static void take(const OperandArguments& o, int64_t offset, const Loaded<T, V>& from,
                                                T (&to)[V]) {
      if (o.reading == Reading::Elements) return converted(from, o.data + offset, o.dtype, o.size, to);
      const T value = o.reading == Reading::Line ? load_element<T>(o.data + offset, o.dtype) : constant<T>(o);
      TNP_UNROLL
      for (int k = 0; k < V; ++k) to[k] = value;
    }
    template <class T, int V>
    TNP_HOST_DEVICE TNP_INLINE static void store(const OperandArguments& o, int64_t offset, const T (&from)[V]) {
      if constexpr (V == 1)
        store_element<T>(o.data + offset, o.dtype, from[0]);
      else
        store_elements(o.data + offset, o.dtype, o.size, from);
    }
    template <int V, size_t... I, size_t... O>
    TNP_HOST_DEVICE TNP_INLINE void map(uint32_t i, std::index_sequence<I...>, std::index_sequence<O...>) const {
      const Offsets at = place_of(i);
      Slots<InIndex, 1, Loaded<Ins, V>...> loaded;
      InSlots<V> in;
      OutSlots<V> out;
      (fetch(a.operands[nout + I], at.of[nout + I], slot<I>(loaded)[0]), ...);
      (take(a.operands[nout + I], at.of[nout + I], slot<I>(loaded)[0], slot<I>(in)), ...);
      compute<V>(out, in, InIndex{});
      (store(a.operands[O], at.of[O], slot<O>(out)), ...);
    }

    TNP_HOST_DEVICE void run(Place place) const {
      uint32_t i = (place.block * kBlock + place.thread) * kWidth;
      if (i + kWidth <= a.numel) return map<kWidth>(i, InIndex{}, OutIndex{});
      for (; i < a.numel; ++i) map<1>(i, InIndex{}, OutIndex{});
    }
  };

  // Strided kernel: each element is a separate load. A thread issues all of its loads before it
  // waits for one.
  struct Strided {
    static constexpr uint32_t kThreads = kBlock, kItems = kWidth == 1 ? 2 : 4;
    StridedArguments<kOperands> a;

    template <class T, int V>
    TNP_HOST_DEVICE TNP_INLINE static void fetch(const OperandArguments& o, const Offsets (&at)[V], size_t k,
                                                 Loaded<T, 1> (&to)[V]) {
      if (o.reading == Reading::Value) return;
      TNP_UNROLL
      for (int v = 0; v < V; ++v) load(o.data + at[v].of[k], o.dtype, to[v]);
    }
    template <class T, int V>
    TNP_HOST_DEVICE TNP_INLINE static void take(const OperandArguments& o, const Offsets (&at)[V], size_t k,
                                                const Loaded<T, 1> (&from)[V], T (&to)[V]) {
      if (o.reading == Reading::Value) {
        const T value = constant<T>(o);
        TNP_UNROLL
        for (int v = 0; v < V; ++v) to[v] = value;
        return;
      }
      TNP_UNROLL
      for (int v = 0; v < V; ++v) {
        T one[1];
        converted(from[v], o.data + at[v].of[k], o.dtype, o.size, one);
        to[v] = one[0];
      }
    }
    template <class T, int V>
    TNP_HOST_DEVICE TNP_INLINE static void store(const OperandArguments& o, const Offsets (&at)[V], size_t k,
                                                 const T (&from)[V]) {
      TNP_UNROLL
      for (int v = 0; v < V; ++v) store_element(o.data + at[v].of[k], o.dtype, from[v]);
    }
    template <int V, size_t... I, size_t... O>
    TNP_HOST_DEVICE TNP_INLINE void map(const Offsets (&at)[V], std::index_sequence<I...>,
                                        std::index_sequence<O...>) const {
      Slots<InIndex, V, Loaded<Ins, 1>...> loaded;
      InSlots<V> in;
      OutSlots<V> out;
      (fetch(a.operands[nout + I], at, nout + I, slot<I>(loaded)), ...);
      (take(a.operands[nout + I], at, nout + I, slot<I>(loaded), slot<I>(in)), ...);
      compute<V>(out, in, InIndex{});
      (store(a.operands[O], at, O, slot<O>(out)), ...);
    }

    TNP_HOST_DEVICE void run(Place place) const {
      uint32_t i = place.block * (kBlock * kItems) + place.thread;
      if (!a.mask && i + (kItems - 1) * kBlock < a.numel) {
        Offsets at[kItems];
        TNP_UNROLL
        for (uint32_t v = 0; v < kItems; ++v) at[v] = locate(a, i + v * kBlock);
        return map(at, InIndex{}, OutIndex{});
      }
      for (uint32_t v = 0; v < kItems && i < a.numel; ++v, i += kBlock) {
        const Offsets at[1] = {locate(a, i)};
        if (!a.mask || a.mask[at[0].of[kOperands]]) map(at, InIndex{}, OutIndex{});
      }
    }
  };

  static void launch(const IterationPlan& plan) {
    for_each_tile(plan, {}, [&](const Tile& tile) {
      auto blocks = [&](uint32_t each) { return (tile.numel + each - 1) / each; };
      if (lies_in_packs(plan, tile, kWidth))
        gpu::launch(Packed{packed_arguments<kOperands>(plan, tile)}, blocks(kBlock * kWidth), plan.device);
      else
        gpu::launch(Strided{strided_arguments<kOperands>(plan, tile)}, blocks(kBlock * Strided::kItems), plan.device);
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
std::span<const PointwiseLoop> make_loops() {
  return LoopTable<F, List>::loops;
}

}  // namespace tnp::gpu
