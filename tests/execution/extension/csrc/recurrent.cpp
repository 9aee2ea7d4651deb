// The cells of LSTM and GRU. torch asks accelerators for fused ones; these are made of plain operators, so
// autograd differentiates them.

#include <ATen/ATen.h>
#include <torch/library.h>

namespace standin {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

Tensor with_bias(const Tensor& gates, const OptionalTensor& bias) {
  return bias && bias->defined() ? gates + *bias : gates;
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell(
    const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cell, const OptionalTensor& input_bias,
    const OptionalTensor& hidden_bias) {
  const auto gates = with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias);
  const auto parts = gates.chunk(4, 1);
  const auto next_cell = parts[1].sigmoid() * cell + parts[0].sigmoid() * parts[2].tanh();
  return {parts[3].sigmoid() * next_cell.tanh(), next_cell, gates};
}

std::tuple<Tensor, Tensor> gru_cell(
    const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hidden, const OptionalTensor& input_bias,
    const OptionalTensor& hidden_bias) {
  const auto of_input = with_bias(input_gates, input_bias).chunk(3, 1);
  const auto of_hidden = with_bias(hidden_gates, hidden_bias).chunk(3, 1);
  const auto reset = (of_input[0] + of_hidden[0]).sigmoid();
  const auto update = (of_input[1] + of_hidden[1]).sigmoid();
  const auto candidate = (of_input[2] + reset * of_hidden[2]).tanh();
  return {candidate + update * (hidden - candidate), update};
}

void register_cells(torch::Library& m) {
  m.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
  m.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
}

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  register_cells(m);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  register_cells(m);
}

} // namespace
} // namespace standin
