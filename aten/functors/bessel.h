// Bessel and Airy functions.
#pragma once

#include "aten/functors/real_math.h"
#include "aten/special/bessel.h"

namespace tnp {

template <class T>
struct BesselJ0 {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_j0(x)); }
};

template <class T>
struct BesselJ1 {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_j1(x)); }
};

template <class T>
struct BesselY0 {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_y0(x)); }
};

template <class T>
struct BesselY1 {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_y1(x)); }
};

template <class T>
struct BesselI0 {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_i(0, false, x)); }
};

template <class T>
struct BesselI0e {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_i(0, true, x)); }
};

template <class T>
struct BesselI1 {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_i(1, false, x)); }
};

template <class T>
struct BesselI1e {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_i(1, true, x)); }
};

template <class T>
struct BesselK0 {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_k(0, false, x)); }
};

template <class T>
struct BesselK0e {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_k(0, true, x)); }
};

template <class T>
struct BesselK1 {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_k(1, false, x)); }
};

template <class T>
struct BesselK1e {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::bessel_k(1, true, x)); }
};

template <class T>
struct AiryAi {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::airy_ai(x)); }
};

template <class T>
struct SphericalBesselJ0 {
  TNP_HOST_DEVICE T operator()(T x) const { return static_cast<T>(special::spherical_bessel_j0(x)); }
};

}  // namespace tnp
