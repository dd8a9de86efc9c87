// Fourier transforms by oneMKL's DFTI. DFTI accepts strides within and between lines, so nothing is
// transposed.
#include <mkl_dfti.h>

#include "aten/kernels/cpu/fourier/line_transform.h"
#include "aten/kernels/cpu/fourier/line_transform_factored.h"

namespace tnp {

namespace {

void check_dfti(MKL_LONG status) {
  TNP_CHECK(status == DFTI_NO_ERROR, status == DFTI_MEMORY_ERROR ? ErrorKind::Memory : ErrorKind::Internal,
            "Fourier transform: ", static_cast<const char*>(DftiErrorMessage(status)));
}

class DftiTransform final : public LineTransform {
 public:
  explicit DftiTransform(const LinePlan& p) : in_place_(p.in_place) {
    DFTI_DESCRIPTOR* raw = nullptr;
    check_dfti(DftiCreateDescriptor(&raw, p.single_precision ? DFTI_SINGLE : DFTI_DOUBLE,
                                    p.kind == Fourier::Complex ? DFTI_COMPLEX : DFTI_REAL, 1,
                                    static_cast<MKL_LONG>(p.n)));
    descriptor_.reset(raw);
    MKL_LONG strides_in[2] = {0, static_cast<MKL_LONG>(p.stride_in)},
             strides_out[2] = {0, static_cast<MKL_LONG>(p.stride_out)};
    check_dfti(DftiSetValue(raw, DFTI_PLACEMENT, p.in_place ? DFTI_INPLACE : DFTI_NOT_INPLACE));
    check_dfti(DftiSetValue(raw, DFTI_NUMBER_OF_TRANSFORMS, static_cast<MKL_LONG>(p.lines)));
    check_dfti(DftiSetValue(raw, DFTI_INPUT_STRIDES, strides_in));
    check_dfti(DftiSetValue(raw, DFTI_OUTPUT_STRIDES, strides_out));
    check_dfti(DftiSetValue(raw, DFTI_INPUT_DISTANCE, static_cast<MKL_LONG>(p.distance_in)));
    check_dfti(DftiSetValue(raw, DFTI_OUTPUT_DISTANCE, static_cast<MKL_LONG>(p.distance_out)));
    check_dfti(DftiSetValue(raw, DFTI_FORWARD_SCALE, p.forward_scale));
    check_dfti(DftiSetValue(raw, DFTI_BACKWARD_SCALE, p.backward_scale));
    if (!p.threads) check_dfti(DftiSetValue(raw, DFTI_THREAD_LIMIT, static_cast<MKL_LONG>(1)));
    if (p.kind != Fourier::Complex) check_dfti(DftiSetValue(raw, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX));
    check_dfti(DftiCommitDescriptor(raw));
  }

  void run(bool forward, char* in, char* out) const override {
    DFTI_DESCRIPTOR* d = descriptor_.get();
    if (in_place_)
      check_dfti(forward ? DftiComputeForward(d, in) : DftiComputeBackward(d, in));
    else
      check_dfti(forward ? DftiComputeForward(d, in, out) : DftiComputeBackward(d, in, out));
  }

 private:
  struct FreeDescriptor {
    void operator()(DFTI_DESCRIPTOR* d) const { DftiFreeDescriptor(&d); }
  };
  std::unique_ptr<DFTI_DESCRIPTOR, FreeDescriptor> descriptor_;
  const bool in_place_;
};

}  // namespace

std::shared_ptr<const LineTransform> make_line_transform(const LinePlan& plan) {
  if (const int64_t factor = FactoredTransform::factor_of(plan))
    return std::make_shared<FactoredTransform>(plan, factor);
  return std::make_shared<DftiTransform>(plan);
}

}  // namespace tnp
