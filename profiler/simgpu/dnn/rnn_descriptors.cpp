// Recurrent networks: descriptors, sizes and places of weights.
#include "profiler/simgpu/dnn/rnn.h"

using namespace zerostall::simgpu::dnn;

EXPORT int cudnnCreateRNNDescriptor(Rnn** r) {
  if (!r) return kBadParamNull;
  *r = new Rnn{};
  return kSuccess;
}
EXPORT int cudnnDestroyRNNDescriptor(Rnn* r) {
  delete r;
  return kSuccess;
}
EXPORT int cudnnSetRNNDescriptor_v8(Rnn* r, int algorithm, int cell, int bias_mode, int direction, int input_mode,
                                    int type, int math_precision, int math_type, std::int32_t input,
                                    std::int32_t hidden, std::int32_t projection, std::int32_t layers, Dropout* dropout,
                                    std::uint32_t flags) {
  if (!r) return kBadParamNull;
  if (hidden < 1 || layers < 1 || input < 0 || projection > hidden) return fail(kBadParam, "sizes out of range");
  *r = {algorithm, cell,  bias_mode, direction,  input_mode, type,    math_precision,
        math_type, input, hidden,    projection, layers,     dropout, flags};
  return kSuccess;
}
EXPORT int cudnnGetRNNDescriptor_v8(Rnn* r, int* algorithm, int* cell, int* bias_mode, int* direction, int* input_mode,
                                    int* type, int* math_precision, int* math_type, std::int32_t* input,
                                    std::int32_t* hidden, std::int32_t* projection, std::int32_t* layers,
                                    Dropout** dropout, std::uint32_t* flags) {
  if (!r) return kBadParamNull;
  const auto give = [](auto* out, auto value) {
    if (out) *out = value;
  };
  give(algorithm, r->algorithm);
  give(cell, r->cell);
  give(bias_mode, r->bias_mode);
  give(direction, r->direction);
  give(input_mode, r->input_mode);
  give(type, r->type);
  give(math_precision, r->math_precision);
  give(math_type, r->math_type);
  give(input, r->input);
  give(hidden, r->hidden);
  give(projection, r->projection);
  give(layers, r->layers);
  give(dropout, r->dropout);
  give(flags, r->flags);
  return kSuccess;
}

EXPORT int cudnnCreateRNNDataDescriptor(RnnData** d) {
  if (!d) return kBadParamNull;
  *d = new RnnData{};
  return kSuccess;
}
EXPORT int cudnnDestroyRNNDataDescriptor(RnnData* d) {
  delete d;
  return kSuccess;
}
// The lengths of single sequences do not change how long the work takes here: the longest counts for all.
EXPORT int cudnnSetRNNDataDescriptor(RnnData* d, int type, int layout, int max_length, int batch, int vector,
                                     const int* lengths, void*) {
  if (!d || !lengths) return kBadParamNull;
  if (max_length < 1 || batch < 1 || vector < 1) return fail(kBadParam, "sizes are positive");
  *d = {type, layout, max_length, batch, vector};
  return kSuccess;
}

EXPORT int cudnnGetRNNWeightSpaceSize(Handle*, Rnn* r, std::size_t* size) {
  if (!r || !size) return kBadParamNull;
  *size = static_cast<std::size_t>(weight_elements(*r)) * std::size_t(type_bits(r->type)) / 8;
  return kSuccess;
}

// Training keeps the gates and states of every step for the backward pass; the workspace holds the products of the
// inputs of one layer.
EXPORT int cudnnGetRNNTempSpaceSizes(Handle*, Rnn* r, int training, RnnData* x, std::size_t* workspace,
                                     std::size_t* reserve) {
  if (!r || !x) return kBadParamNull;
  const std::size_t element = std::size_t(type_bits(r->type)) / 8;
  const std::size_t gates = std::size_t(linear_maps(*r)) / 2;
  const std::size_t of_layer = std::size_t(x->max_length) * std::size_t(x->batch) * std::size_t(r->hidden) * element;
  if (workspace) *workspace = of_layer * gates * std::size_t(directions(*r));
  if (reserve) *reserve = training ? of_layer * (gates + 2) * std::size_t(pseudo_layers(*r)) : 0;
  return kSuccess;
}

namespace {

// Describes what is at `place`: three dimensions, the first one 1.
void describe(const Matrix& place, const Rnn& r, const char* base, Tensor* descriptor, void** address) {
  if (address) *address = nullptr;
  if (place.offset < 0) {
    if (descriptor) *descriptor = {};
    return;
  }
  if (descriptor) {
    *descriptor = {};
    descriptor->type = r.type;
    descriptor->count = 3;
    descriptor->dims[0] = 1;
    descriptor->dims[1] = place.rows;
    descriptor->dims[2] = place.columns;
    descriptor->strides[0] = place.rows * place.columns;
    descriptor->strides[1] = place.columns;
    descriptor->strides[2] = 1;
  }
  const auto offset = static_cast<std::size_t>(place.offset) * std::size_t(type_bits(r.type)) / 8;
  if (address && base) *address = const_cast<char*>(base) + offset;
}

}  // namespace

EXPORT int cudnnGetRNNWeightParams(Handle*, Rnn* r, std::int32_t pseudo_layer, std::size_t bytes, const void* weights,
                                   std::int32_t linear, Tensor* matrix, void** matrix_address, Tensor* bias,
                                   void** bias_address) {
  if (!r) return kBadParamNull;
  if (pseudo_layer < 0 || pseudo_layer >= pseudo_layers(*r)) return fail(kBadParam, "no such layer");
  const std::size_t needed = static_cast<std::size_t>(weight_elements(*r)) * std::size_t(type_bits(r->type)) / 8;
  if (bytes < needed) return fail(kBadParamSizeInsufficient, "the weight space is too small");
  const char* base = static_cast<const char*>(weights);
  describe(weight_matrix(*r, pseudo_layer, linear), *r, base, matrix, matrix_address);
  describe(bias_vector(*r, pseudo_layer, linear), *r, base, bias, bias_address);
  return kSuccess;
}
