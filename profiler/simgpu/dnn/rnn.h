// Recurrent networks: descriptors and the layout of the weight space.
// A network has layers x directions "pseudo layers". Each has as many weight matrices as its cell has linear maps, half
// of them on the input, half on the recurrent state, plus a projection if there is one. The weight space holds all
// matrices of pseudo layer 0, 1, ... and then all biases in the same order.
#pragma once
#include "profiler/simgpu/dnn/types.h"

namespace zerostall::simgpu::dnn {

struct Rnn {
  int algorithm, cell, bias_mode, direction, input_mode, type, math_precision, math_type;
  std::int32_t input, hidden, projection, layers;
  Dropout* dropout;
  std::uint32_t flags;
};

struct RnnData {
  int type, layout, max_length, batch, vector;
};

int linear_maps(const Rnn& r);  // of the cell: 2, 6 (GRU) or 8 (LSTM), without a projection
int directions(const Rnn& r);   // 1 or 2
int pseudo_layers(const Rnn& r);
bool has_projection(const Rnn& r);
std::int32_t output_width(const Rnn& r);  // of one direction

struct Matrix {
  double offset = -1;  // in elements; negative: there is none
  int rows = 0, columns = 0;
};
Matrix weight_matrix(const Rnn& r, int pseudo_layer, int linear);
Matrix bias_vector(const Rnn& r, int pseudo_layer, int linear);
double weight_elements(const Rnn& r);

}  // namespace zerostall::simgpu::dnn
