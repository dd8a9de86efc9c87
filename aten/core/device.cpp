#include "aten/core/device.h"

#include <charconv>

namespace tnp {

std::string to_string(Device device) {
  if (device.is_cpu()) return "cpu";
  std::string out = "cuda:";
  append(out, static_cast<int64_t>(device.index));
  return out;
}

Device parse_device(std::string_view text) {
  std::string_view name = text.substr(0, text.find(':'));
  int index = 0;
  bool known = name == "cpu" || name == "cuda";
  if (name.size() < text.size()) {
    std::string_view digits = text.substr(name.size() + 1);
    auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    known = known && status == std::errc() && end == digits.data() + digits.size() && index >= 0 && index < 128;
  }
  TNP_CHECK(known, ErrorKind::Runtime, "'", text, "' is no device: expected 'cpu', 'cuda' or 'cuda:<index>'");
  return {name == "cpu" ? DeviceType::CPU : DeviceType::CUDA, static_cast<int8_t>(name == "cpu" ? 0 : index)};
}

}  // namespace tnp
