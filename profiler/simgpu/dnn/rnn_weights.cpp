#include "profiler/simgpu/dnn/rnn.h"

namespace zerostall::simgpu::dnn {
namespace {

constexpr int kLstm = 2, kGru = 3;                           // cudnnRNNMode_t
constexpr int kNoBias = 0, kInputBias = 1, kDoubleBias = 2;  // cudnnRNNBiasMode_t; 3: recurrent bias

std::int32_t input_width(const Rnn& r, int pseudo_layer) {
  return pseudo_layer < directions(r) ? r.input : output_width(r) * directions(r);
}

double elements_of_layer(const Rnn& r, int pseudo_layer) {
  const double half = linear_maps(r) / 2.0;
  const double maps = half * r.hidden * (double(input_width(r, pseudo_layer)) + output_width(r));
  return maps + (has_projection(r) ? double(r.projection) * r.hidden : 0);
}

double all_matrices(const Rnn& r, int pseudo_layers) {
  double n = 0;
  for (int i = 0; i < pseudo_layers; ++i) n += elements_of_layer(r, i);
  return n;
}

bool has_bias(const Rnn& r, int linear) {
  const bool on_input = linear < linear_maps(r) / 2;
  if (linear >= linear_maps(r) || r.bias_mode == kNoBias) return false;
  return r.bias_mode == kDoubleBias || (r.bias_mode == kInputBias) == on_input;
}

int biases_of_layer(const Rnn& r) {
  return r.bias_mode == kNoBias ? 0 : r.bias_mode == kDoubleBias ? linear_maps(r) : linear_maps(r) / 2;
}

}  // namespace

int linear_maps(const Rnn& r) { return r.cell == kLstm ? 8 : r.cell == kGru ? 6 : 2; }
int directions(const Rnn& r) { return r.direction == 1 ? 2 : 1; }
int pseudo_layers(const Rnn& r) { return r.layers * directions(r); }
bool has_projection(const Rnn& r) { return r.cell == kLstm && r.projection > 0 && r.projection != r.hidden; }
std::int32_t output_width(const Rnn& r) { return has_projection(r) ? r.projection : r.hidden; }

Matrix weight_matrix(const Rnn& r, int pseudo_layer, int linear) {
  const int maps = linear_maps(r), half = maps / 2;
  if (linear < 0 || linear > maps || (linear == maps && !has_projection(r))) return {};
  const double base = all_matrices(r, pseudo_layer);
  const std::int32_t in = input_width(r, pseudo_layer), back = output_width(r);
  if (linear < half) return {base + double(linear) * r.hidden * in, r.hidden, in};
  const double recurrent = base + double(half) * r.hidden * in;
  if (linear < maps) return {recurrent + double(linear - half) * r.hidden * back, r.hidden, back};
  return {recurrent + double(half) * r.hidden * back, r.projection, r.hidden};
}

Matrix bias_vector(const Rnn& r, int pseudo_layer, int linear) {
  if (linear < 0 || !has_bias(r, linear)) return {};
  const int place = r.bias_mode == kDoubleBias || r.bias_mode == kInputBias ? linear : linear - linear_maps(r) / 2;
  const double index = double(pseudo_layer) * biases_of_layer(r) + place;
  return {all_matrices(r, pseudo_layers(r)) + index * r.hidden, r.hidden, 1};
}

double weight_elements(const Rnn& r) {
  return all_matrices(r, pseudo_layers(r)) + double(pseudo_layers(r)) * biases_of_layer(r) * r.hidden;
}

}  // namespace zerostall::simgpu::dnn
