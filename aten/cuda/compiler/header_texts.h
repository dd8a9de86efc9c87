// The headers that sources of chains include, as texts: they are compiled where no sources of this project are.
#pragma once

#include <span>

namespace tnp::gpu {

struct HeaderText {
  const char* name;  // "aten/functors/arithmetic.h"
  const char* text;
};
// Generated (tools/header_texts.py).
std::span<const HeaderText> header_texts();

}  // namespace tnp::gpu
