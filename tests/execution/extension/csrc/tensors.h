// The same memory seen as a CPU tensor: what every kernel of the stand-in works on.
#pragma once

#include <ATen/core/Tensor.h>

namespace standin {

at::Tensor as_cpu_alias(const at::Tensor& tensor);

} // namespace standin
