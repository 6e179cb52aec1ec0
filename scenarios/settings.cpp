#include "scenarios/settings.h"

#include <algorithm>
#include <charconv>

namespace zerostall::scenarios {
namespace {

// How one key is set and shown: `set` returns false where it does not take the value; `show` gives the present value.
struct Key {
  SettingKey key;
  bool (*set)(std::string_view value, Settings& settings);
  std::string (*show)(const Settings& settings);
};

template <class Enum>
struct Choice {
  std::string_view name;
  Enum value;
};

template <class Enum, std::size_t N>
bool choose(std::string_view name, const Choice<Enum> (&choices)[N], Enum& out) {
  for (const Choice<Enum>& choice : choices)
    if (choice.name == name) return out = choice.value, true;
  return false;
}

template <class Enum, std::size_t N>
std::string chosen(Enum value, const Choice<Enum> (&choices)[N]) {
  for (const Choice<Enum>& choice : choices)
    if (choice.value == value) return std::string(choice.name);
  return {};
}

constexpr Choice<Weights> kWeights[] = {{"int8", Weights::int8}, {"fp8", Weights::fp8}, {"bf16", Weights::bf16}};
constexpr Choice<OptimizerKind> kOptimizers[] = {{"adamw", OptimizerKind::adamw},
                                                 {"adamw-fused", OptimizerKind::adamw_fused},
                                                 {"adafactor", OptimizerKind::adafactor}};
constexpr Choice<Ema> kEma[] = {{"off", Ema::off}, {"gpu", Ema::gpu}, {"cpu", Ema::cpu}};
constexpr Choice<Precision> kPrecision[] = {{"bf16", Precision::bf16}, {"fp16", Precision::fp16}};
constexpr Choice<bool> kSwitch[] = {{"on", true}, {"off", false}};

bool number(std::string_view text, std::int64_t low, std::int64_t high, std::int64_t& out) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) return false;
  return out = value, true;
}

bool real(std::string_view text, double low, double high, double& out) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high)) return false;
  return out = value, true;
}

std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

#define ZEROSTALL_CHOICE(member, choices)                                       \
  [](std::string_view v, Settings& s) { return choose(v, choices, s.member); }, \
      [](const Settings& s) { return chosen(s.member, choices); }
#define ZEROSTALL_NUMBER(member, low, high)                                       \
  [](std::string_view v, Settings& s) { return number(v, low, high, s.member); }, \
      [](const Settings& s) { return std::to_string(s.member); }

constexpr std::int64_t kMost = 1'000'000;

const Key kKeys[] = {
    {{"weights", "int8, fp8 or bf16", "of the blocks: W8A8 int8 or fp8 under LoRA, or bf16 trained themselves"},
     ZEROSTALL_CHOICE(weights, kWeights)},
    {{"optimizer", "adamw, adamw-fused or adafactor", "as the presets choose it"},
     ZEROSTALL_CHOICE(optimizer, kOptimizers)},
    {{"learning-rate", "a number from 0 to 1e38", "after 200 updates of warm-up"},
     [](std::string_view v, Settings& s) { return real(v, 0, 1e38, s.learning_rate); },
     [](const Settings& s) { return shortest(s.learning_rate); }},
    {{"fused-back-pass", "on or off", "step each parameter as soon as its gradient is there"},
     ZEROSTALL_CHOICE(fused_back_pass, kSwitch)},
    {{"precision", "bf16 or fp16", "of autocast; fp16 brings a gradient scaler and its overflow check"},
     ZEROSTALL_CHOICE(precision, kPrecision)},
    {{"ema", "off, gpu or cpu", "moving average of the trained weights, and where it lives"},
     ZEROSTALL_CHOICE(ema, kEma)},
    {{"pixels", "128 to 2048, a multiple of 16", "edge of the square training image"},
     [](std::string_view v, Settings& s) {
       std::int64_t pixels = 0;
       return number(v, 128, 2048, pixels) && pixels % 16 == 0 && (s.pixels = pixels, true);
     },
     [](const Settings& s) { return std::to_string(s.pixels); }},
    {{"offload", "0 to 1", "fraction of the blocks whose weights stay on the host"},
     [](std::string_view v, Settings& s) { return real(v, 0, 1, s.offload); },
     [](const Settings& s) { return shortest(s.offload); }},
    {{"offload-async", "on or off", "bring offloaded weights on a stream of their own"},
     ZEROSTALL_CHOICE(offload_async, kSwitch)},
    {{"prior-preservation", "on or off", "mix in a prediction of the model without its adapters"},
     ZEROSTALL_CHOICE(prior_preservation, kSwitch)},
    {{"latent-caching", "on or off", "off: the VAE stays on the device and encodes in each step"},
     ZEROSTALL_CHOICE(latent_caching, kSwitch)},
    {{"resume", "on or off", "start from a backup of an earlier run"}, ZEROSTALL_CHOICE(resume, kSwitch)},
    {{"tensor-learning-rate", "on or off", "the learning rate is a tensor on the device"},
     ZEROSTALL_CHOICE(tensor_learning_rate, kSwitch)},
    {{"samples", "0 to 1000000", "in the data set, passed over once per epoch; 0: a set without end"},
     ZEROSTALL_NUMBER(samples, 0, kMost)},
    {{"backup-every", "0 to 1000000", "updates between backups; 0 never"}, ZEROSTALL_NUMBER(backup_every, 0, kMost)},
    {{"sample-every", "0 to 1000000", "updates between sampled images; 0 never"},
     ZEROSTALL_NUMBER(sample_every, 0, kMost)},
    {{"validate-every", "0 to 1000000", "updates between validations; 0 never"},
     ZEROSTALL_NUMBER(validate_every, 0, kMost)},
};

const Key* find(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& k) { return k.key.name == name; });
  return found == std::end(kKeys) ? nullptr : found;
}

}  // namespace

std::span<const SettingKey> setting_keys() {
  static const std::vector<SettingKey> keys = [] {
    std::vector<SettingKey> list;
    for (const Key& key : kKeys) list.push_back(key.key);
    return list;
  }();
  return keys;
}

std::string apply_setting(std::string_view text, Settings& settings) {
  const std::size_t at = text.find('=');
  const std::string_view name = text.substr(0, at);
  const std::string_view value = at == std::string_view::npos ? "on" : text.substr(at + 1);
  const Key* key = find(name);
  if (key == nullptr) {
    std::string names;
    for (const Key& known : kKeys) names += (names.empty() ? "" : ", ") + std::string(known.key.name);
    return "unknown setting '" + std::string(name) + "'; there are: " + names;
  }
  if (key->set(value, settings)) return {};
  return std::string(name) + " takes " + std::string(key->key.values) + ", not '" + std::string(value) + "'";
}

std::string conflict_in(const Settings& settings) {
  if (settings.weights == Weights::bf16 && settings.prior_preservation)
    return "prior-preservation needs adapters to switch off; use weights=int8 or weights=fp8";
  if (settings.precision == Precision::fp16 &&
      (settings.weights == Weights::bf16 || settings.optimizer == OptimizerKind::adafactor || settings.fused_back_pass))
    return "precision=fp16 scales the gradients of fp32 weights for AdamW; leave weights=bf16, optimizer=adafactor and "
           "fused-back-pass out";
  if (settings.weights == Weights::bf16 && settings.offload > 0 && !settings.fused_back_pass)
    return "trained weights that are offloaded must be stepped while they are on the device; add fused-back-pass";
  if (settings.offload > 0 && !settings.offload_async &&
      (settings.prior_preservation || settings.weights == Weights::bf16))
    return "offload-async=off is for frozen weights and one prediction per step; leave prior-preservation and "
           "weights=bf16 "
           "out";
  return {};
}

std::vector<std::string> words_of(const Settings& settings) {
  const Settings defaults;
  std::vector<std::string> words;
  for (const Key& key : kKeys)
    if (const std::string value = key.show(settings); value != key.show(defaults))
      words.push_back(std::string(key.key.name) + "=" + value);
  return words;
}

}  // namespace zerostall::scenarios
