// The five operators of synchronised batch normalisation, which torch has for accelerators only.

#include <ATen/ATen.h>
#include <torch/library.h>

namespace standin {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

std::vector<int64_t> all_but_channels(const Tensor& input) {
  std::vector<int64_t> dims;
  for (int64_t dim = 0; dim < input.dim(); ++dim) {
    if (dim != 1) {
      dims.push_back(dim);
    }
  }
  return dims;
}

// A vector of one value per channel, shaped to stand beside `input`.
Tensor beside(const Tensor& channels, const Tensor& input) {
  std::vector<int64_t> shape(input.dim(), 1);
  shape[1] = -1;
  return channels.view(shape);
}

bool given(const OptionalTensor& tensor) {
  return tensor && tensor->defined();
}

std::tuple<Tensor, Tensor> stats(const Tensor& input, double eps) {
  const auto wide = input.to(at::kFloat);
  const auto dims = all_but_channels(input);
  return {wide.mean(dims), (wide.var(dims, /*unbiased=*/false) + eps).rsqrt()};
}

std::tuple<Tensor, Tensor> gather_stats(
    const Tensor&, const Tensor& means, const Tensor& invstds, const OptionalTensor& running_mean,
    const OptionalTensor& running_var, double momentum, double eps, const Tensor& counts) {
  const auto weights = counts.to(at::kFloat).view({-1, 1});
  const auto total = weights.sum();
  const auto mean = (means * weights).sum(0) / total;
  const auto variances = invstds.pow(-2) - eps;
  const auto variance = ((variances + (means - mean).pow(2)) * weights).sum(0) / total;
  if (given(running_mean)) {
    running_mean->mul_(1 - momentum).add_(mean.to(running_mean->scalar_type()), momentum);
  }
  if (given(running_var)) {
    const auto unbiased = variance * total / (total - 1);
    running_var->mul_(1 - momentum).add_(unbiased.to(running_var->scalar_type()), momentum);
  }
  return {mean, (variance + eps).rsqrt()};
}

Tensor normalise(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias, const Tensor& mean,
    const Tensor& invstd, double) {
  auto result = (input.to(at::kFloat) - beside(mean, input)) * beside(invstd, input);
  if (given(weight)) {
    result = result * beside(*weight, input);
  }
  if (given(bias)) {
    result = result + beside(*bias, input);
  }
  return result.to(input.scalar_type());
}

std::tuple<Tensor, Tensor, Tensor, Tensor> backward_reduce(
    const Tensor& gradient, const Tensor& input, const Tensor& mean, const Tensor& invstd, const OptionalTensor&,
    bool, bool, bool) {
  const auto dims = all_but_channels(input);
  const auto wide = gradient.to(at::kFloat);
  const auto sum = wide.sum(dims);
  const auto sum_times_centred = (wide * (input.to(at::kFloat) - beside(mean, input))).sum(dims);
  return {sum, sum_times_centred, sum_times_centred * invstd, sum};
}

Tensor backward_elements(
    const Tensor& gradient, const Tensor& input, const Tensor& mean, const Tensor& invstd,
    const OptionalTensor& weight, const Tensor& sum, const Tensor& sum_times_centred, const Tensor& counts) {
  const auto total = counts.to(at::kFloat).sum();
  const auto centred = input.to(at::kFloat) - beside(mean, input);
  const auto projection = beside(sum_times_centred * invstd.pow(2) / total, input);
  auto result = gradient.to(at::kFloat) - beside(sum / total, input) - centred * projection;
  result = result * beside(given(weight) ? invstd * *weight : invstd, input);
  return result.to(input.scalar_type());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("batch_norm_stats", TORCH_FN(stats));
  m.impl("batch_norm_gather_stats_with_counts", TORCH_FN(gather_stats));
  m.impl("batch_norm_elemt", TORCH_FN(normalise));
  m.impl("batch_norm_backward_reduce", TORCH_FN(backward_reduce));
  m.impl("batch_norm_backward_elemt", TORCH_FN(backward_elements));
}

} // namespace
} // namespace standin
