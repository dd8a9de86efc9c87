// Short-time Fourier transforms: windows as views of a signal, and overlap-add.
#include <algorithm>
#include <cmath>

#include "aten/core/errors/pending_warnings.h"
#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/fft.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/signal.h"
#include "aten/native_functions/signal.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

Tensor zeros_beside(const Tensor& x, int64_t count) {
  DimVector sizes(x.sizes());
  sizes.back() = count;
  return tnp::zeros(sizes, x.dtype(), x.device());
}

// Pads the last axis by `width` samples at both ends.
Tensor padded(const Tensor& x, int64_t width, std::string_view mode) {
  if (width == 0) return x;
  const int64_t n = x.size(-1);
  auto piece = [&](int64_t start, int64_t length) { return tnp::narrow(x, -1, start, length); };
  Tensor before, after;
  if (mode == "constant") {
    before = after = zeros_beside(x, width);
  } else if (mode == "reflect") {
    TNP_CHECK(width < n, ErrorKind::Shape, "{input} of ", n, " samples is too short to be reflected by ", width);
    before = tnp::flip(piece(1, width), {-1}), after = tnp::flip(piece(n - 1 - width, width), {-1});
  } else if (mode == "replicate") {
    DimVector sizes(x.sizes());
    sizes.back() = width;
    before = tnp::expand(piece(0, 1), sizes), after = tnp::expand(piece(n - 1, 1), sizes);
  } else {
    TNP_CHECK(mode == "circular", ErrorKind::NotImplemented, "{pad_mode} '", mode, "' is not implemented");
    TNP_CHECK(width <= n, ErrorKind::Shape, "{input} of ", n, " samples is too short to be repeated by ", width);
    before = piece(n - width, width), after = piece(0, width);
  }
  const Tensor parts[] = {before, x, after};
  return tnp::cat(parts, -1);
}

// The windows of n samples that begin every `hop` samples, (b, count, n). Without a gradient they
// are overlapping views of the signal's memory.
Tensor windows_of(const Tensor& x, int64_t n, int64_t hop) {
  const int64_t count = 1 + (x.size(1) - n) / hop;
  if (!x.requires_grad() && x.is_contiguous())
    return tnp::as_strided(x, {x.size(0), count, n}, {x.size(1), hop, 1}, std::nullopt);
  const Tensor starts = tnp::unsqueeze(tnp::arange(Scalar(count), ScalarType::Int64, x.device()), 1) * Scalar(hop);
  const Tensor places = starts + tnp::arange(Scalar(n), ScalarType::Int64, x.device());
  return tnp::reshape(tnp::index_select(x, 1, tnp::reshape(places, {-1})), {x.size(0), count, n});
}

// `window`, or ones if it is undefined, padded with zeros to n_fft samples.
Tensor centred_window(const Tensor& window, int64_t win_length, int64_t n_fft, ScalarType dtype, Device device) {
  Tensor result = window.defined() ? window : tnp::ones({win_length}, dtype, device);
  if (win_length == n_fft) return result;
  const int64_t left = (n_fft - win_length) / 2;
  const Tensor parts[] = {zeros_beside(result, left), result, zeros_beside(result, n_fft - win_length - left)};
  return tnp::cat(parts, 0);
}

void check_window(const Tensor& window, int64_t win_length, int64_t n_fft, int64_t hop) {
  TNP_CHECK(hop > 0, ErrorKind::Shape, "{hop_length} must be above 0, got ", hop);
  TNP_CHECK(win_length > 0 && win_length <= n_fft, ErrorKind::Shape, "{win_length} must be from 1 to {n_fft} ", n_fft,
            ", got ", win_length);
  TNP_CHECK(!window.defined() || (window.dim() == 1 && window.size(0) == win_length), ErrorKind::Shape,
            "{window} must have shape [", win_length, "], got ", window.sizes());
}

}  // namespace

static void warn_of_missing_window() {
  warn_caller(
      "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other "
      "windows such as torch.hann_window are recommended to can help reduce spectral leakage.To suppress this warning "
      "and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.");
}

Tensor stft(const Tensor& input, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length,
            const Tensor& window, bool center, std::string_view pad_mode, bool normalized, std::optional<bool> onesided,
            std::optional<bool> return_complex, std::optional<bool> align_to_window) {
  const int64_t hop = hop_length.value_or(n_fft / 4), length = win_length.value_or(n_fft);
  const bool complex = input.is_complex() || (window.defined() && window.is_complex());
  TNP_CHECK(return_complex || complex, ErrorKind::Domain,
            "stft requires the {return_complex} parameter be given for real inputs");
  if (!window.defined()) warn_of_missing_window();
  TNP_CHECK(!is_integral(input.dtype()), ErrorKind::NotImplemented,
            "{input} must be of floats or complex numbers, got ", input.dtype());
  TNP_CHECK(input.dim() == 1 || input.dim() == 2, ErrorKind::Shape, "{input} must have 1 or 2 dimensions, got shape ",
            input.sizes());
  TNP_CHECK(!(center && align_to_window), ErrorKind::Domain,
            "{align_to_window} can only be given if {center} is False");
  const Tensor signal = input.dim() == 1 ? tnp::unsqueeze(input, 0) : input;
  TNP_CHECK(n_fft > 0 && (center || n_fft <= signal.size(1)), ErrorKind::Shape, "{n_fft} must be from 1 to ",
            signal.size(1), ", got ", n_fft);
  const Tensor given = center ? padded(signal, n_fft / 2, pad_mode) : signal;
  check_window(window, length, n_fft, hop);
  TNP_CHECK(!align_to_window.value_or(false), ErrorKind::NotImplemented, "{align_to_window} is not implemented");
  Tensor frames = windows_of(given, n_fft, hop);
  if (window.defined() || length != n_fft)
    frames = frames * centred_window(window, length, n_fft, to_real(input.dtype()), input.device());
  const bool half = onesided.value_or(!complex);
  TNP_CHECK(!half || !complex, ErrorKind::Domain, "{onesided} must be False for a complex {input} or {window}");
  const std::optional<std::string_view> norm = normalized ? "ortho" : "backward";
  Tensor result = half ? tnp::rfft(frames, std::nullopt, -1, norm) : tnp::fft(frames, std::nullopt, -1, norm);
  result = tnp::transpose(result, 1, 2);
  if (input.dim() == 1) result = tnp::squeeze(result, IntList{0});
  return return_complex.value_or(true) ? result : tnp::view_as_real(tnp::clone(result));
}

namespace {

// Overlap-add of windows (b, count, n), each beginning `hop` samples after the previous one: (b, n
// + hop (count - 1)). Each window is cut into chunks of `hop` samples. The i-th chunks of all
// windows do not overlap, so one addition per i suffices.
Tensor overlapped(const Tensor& windows, int64_t hop) {
  const int64_t b = windows.size(0), count = windows.size(1), n = windows.size(2), pieces = (n + hop - 1) / hop;
  const Tensor parts[] = {windows, zeros_beside(windows, pieces * hop - n)};
  const Tensor whole = tnp::reshape(pieces * hop == n ? windows : tnp::cat(parts, -1), {b, count, pieces, hop});
  const Tensor total = tnp::zeros({b, count + pieces - 1, hop}, windows.dtype(), windows.device());
  Tensor sum = total;
  for (int64_t i = 0; i < pieces; ++i) {
    auto rows = [&](int64_t number) { return tnp::zeros({b, number, hop}, windows.dtype(), windows.device()); };
    if (!windows.requires_grad()) {
      tnp::add_(tnp::narrow(total, 1, i, count), tnp::select(whole, 2, i));
      continue;
    }
    const Tensor shifted[] = {rows(i), tnp::select(whole, 2, i), rows(pieces - 1 - i)};
    sum = sum + tnp::cat(shifted, 1);
  }
  return tnp::narrow(tnp::reshape(sum, {b, (count + pieces - 1) * hop}), 1, 0, n + hop * (count - 1));
}

}  // namespace

Tensor istft(const Tensor& input, int64_t n_fft, std::optional<int64_t> hop_length, std::optional<int64_t> win_length,
             const Tensor& window, bool center, bool normalized, std::optional<bool> onesided,
             std::optional<int64_t> length, bool return_complex) {
  const int64_t hop = hop_length.value_or(n_fft / 4), window_length = win_length.value_or(n_fft);
  TNP_CHECK(input.is_complex(), ErrorKind::Type, "istft requires a complex-valued {input} tensor, got ", input.dtype());
  if (!window.defined()) warn_of_missing_window();
  TNP_CHECK(input.dim() == 2 || input.dim() == 3, input.dim() < 2 ? ErrorKind::Index : ErrorKind::Shape,
            "{input} must have 2 or 3 dimensions, got shape ", input.sizes());
  TNP_CHECK(input.numel() > 0, ErrorKind::Shape, "{input} of shape ", input.sizes(), " is empty");
  const Tensor spectrum = tnp::transpose(input.dim() == 2 ? tnp::unsqueeze(input, 0) : input, 1, 2);
  const int64_t frequencies = spectrum.size(2), count = spectrum.size(1);
  const bool half = onesided.value_or(frequencies != n_fft);
  TNP_CHECK(frequencies == (half ? n_fft / 2 + 1 : n_fft), ErrorKind::Shape, "{input} of shape ", input.sizes(),
            " has ", frequencies, " frequencies: {n_fft} ", n_fft, " needs ", half ? n_fft / 2 + 1 : n_fft);
  TNP_CHECK(hop > 0 && hop <= window_length, ErrorKind::Shape, "{hop_length} must be from 1 to {win_length} ",
            window_length, ", got ", hop);
  check_window(window, window_length, n_fft, hop);
  TNP_CHECK(return_complex || !window.defined() || !window.is_complex(), ErrorKind::Dtype,
            "{window} is complex: {return_complex} must be True");
  TNP_CHECK(!return_complex || !half, ErrorKind::Domain, "{return_complex} needs a two-sided {input}");
  const Tensor shape = centred_window(window, window_length, n_fft, to_real(input.dtype()), input.device());
  const std::optional<std::string_view> norm = normalized ? "ortho" : "backward";
  Tensor frames;
  if (return_complex)
    frames = tnp::ifft(spectrum, std::nullopt, -1, norm);
  else
    frames = tnp::irfft(half ? spectrum : tnp::narrow(spectrum, -1, 0, n_fft / 2 + 1), n_fft, -1, norm);
  Tensor signal = overlapped(frames * shape, hop);
  const Tensor weight = overlapped(tnp::expand(tnp::square(shape), {1, count, n_fft}), hop);
  const int64_t expected = n_fft + hop * (count - 1), start = center ? n_fft / 2 : 0;
  const int64_t end = length ? start + *length : center ? expected - n_fft / 2 : expected;
  const int64_t have = std::min(end, expected) - start;
  TNP_CHECK(have >= 0, ErrorKind::Shape, "{length} must not be negative");
  signal = tnp::narrow(signal, 1, start, have);
  const Tensor divisor = tnp::narrow(weight, 1, start, have);
  if (have > 0 && !divisor.device().is_meta()) {
    const Tensor least = tnp::min(tnp::abs(divisor));
    TNP_CHECK(least.item<double>() > 1e-11, ErrorKind::Domain,
              "the windows do not cover all samples: the sum of their squares is nearly zero at some");
  }
  signal = signal / divisor;
  if (end > expected) {
    warn_caller(
        "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
        "Please check your center and hop_length settings.");
    const Tensor parts[] = {signal, zeros_beside(signal, end - expected)};
    signal = tnp::cat(parts, 1);
  }
  return input.dim() == 2 ? tnp::squeeze(signal, IntList{0}) : signal;
}

}  // namespace tnp::native
