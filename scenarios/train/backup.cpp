#include "scenarios/train/backup.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "fixes/resume_steps_on_cpu.h"

namespace zerostall::train {
namespace {

constexpr std::string_view kTitle = "zerostall backup 1, updates ";
constexpr std::string_view kEnd = "end";  // a file without it is cut off
constexpr std::array kDtypes{at::kFloat, at::kBFloat16, at::kHalf, at::kDouble, at::kLong};

using Key = std::pair<std::string, std::string>;  // parameter, kind

std::runtime_error bad(const std::string& path, const std::string& what) {
  return std::runtime_error("backup '" + path + "' " + what);
}

void write(std::ofstream& file, const std::string& name, std::string_view kind, const at::Tensor& tensor) {
  const at::Tensor value = tensor.detach().cpu().contiguous();
  file << name << ' ' << kind << ' ' << c10::toString(value.scalar_type());
  for (const std::int64_t size : value.sizes()) file << ' ' << size;
  file << '\n';
  file.write(static_cast<const char*>(value.const_data_ptr()), static_cast<std::streamsize>(value.nbytes())) << '\n';
}

// One tensor's line and values; nothing at the end line.
std::optional<std::pair<Key, at::Tensor>> read(std::ifstream& file, const std::string& path) {
  std::string line, name, kind, dtype;
  std::getline(file, line);
  if (line == kEnd) return std::nullopt;
  std::istringstream words(line);
  words >> name >> kind >> dtype;
  const auto* type =
      std::find_if(kDtypes.begin(), kDtypes.end(), [&](at::ScalarType known) { return dtype == c10::toString(known); });
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 0; words >> size;) sizes.push_back(size);
  // A damaged size must not become an allocation.
  const auto left = static_cast<std::int64_t>(std::filesystem::file_size(path)) - file.tellg();
  std::int64_t bytes = type == kDtypes.end() ? 0 : static_cast<std::int64_t>(c10::elementSize(*type));
  for (const std::int64_t size : sizes)
    if (size < 0 || (size > 0 && (bytes *= size) > left)) bytes = -1, sizes.clear();
  if (!file || !words.eof() || type == kDtypes.end() || bytes < 0)
    throw bad(path, "is cut off or damaged: use an older one");
  at::Tensor value = at::empty(sizes, *type);
  file.read(static_cast<char*>(value.mutable_data_ptr()), static_cast<std::streamsize>(value.nbytes()));
  if (file.get() != '\n') throw bad(path, "is cut off or damaged: use an older one");
  return std::pair{Key{name, kind}, value};
}

std::pair<std::int64_t, std::map<Key, at::Tensor>> read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw bad(path, "cannot be read: is the name right?");
  std::string title;
  std::getline(file, title);
  std::int64_t updates = -1;
  if (title.starts_with(kTitle)) std::istringstream(title.substr(kTitle.size())) >> updates;
  if (updates < 0) throw bad(path, "is not a backup of zerostall-scenario");
  std::map<Key, at::Tensor> tensors;
  while (auto tensor = read(file, path)) tensors.insert(std::move(*tensor));
  return {updates, std::move(tensors)};
}

// The tensor of that name, taken out; undefined if there is none.
at::Tensor take(std::map<Key, at::Tensor>& tensors, const std::string& name, std::string_view kind) {
  auto node = tensors.extract(Key{name, kind});
  return node ? node.mapped() : at::Tensor();
}

}  // namespace

void save_backup(const std::string& path, const std::vector<NamedParameter>& parameters, Optimizer& optimizer,
                 std::int64_t updates) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << kTitle << updates << '\n';
  for (const NamedParameter& parameter : parameters) write(file, parameter.name, "value", parameter.value);
  for (const StateEntry& entry : optimizer.state())
    if (entry.tensor->defined()) write(file, parameters.at(entry.parameter).name, entry.kind, *entry.tensor);
  file << kEnd << '\n';
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (!file || error) {
    std::filesystem::remove(part, error);
    throw bad(path, "cannot be written: is there space, and may you write there?");
  }
}

std::int64_t load_backup(const std::string& path, const std::vector<NamedParameter>& parameters, Optimizer& optimizer,
                         const FixesOn& fixes) {
  const at::NoGradGuard no_grad;
  auto [updates, tensors] = read_all(path);
  for (const NamedParameter& parameter : parameters) {
    const at::Tensor value = take(tensors, parameter.name, "value");
    if (!value.defined() || value.sizes() != parameter.value.sizes() ||
        value.scalar_type() != parameter.value.scalar_type())
      throw bad(path, "is of another model: it has no fitting '" + parameter.name + "'");
    parameter.value.copy_(value);
  }
  std::vector<at::Tensor> steps;
  for (const StateEntry& entry : optimizer.state()) {
    const NamedParameter& parameter = parameters.at(entry.parameter);
    const at::Tensor value = take(tensors, parameter.name, entry.kind);
    if (entry.kind == "step" && !value.defined())
      throw bad(path, "is of another optimizer: it has no step counter of '" + parameter.name + "'");
    *entry.tensor = value.defined() && !entry.host_number ? value.to(parameter.value.device()) : value;
    if (entry.kind == "step" && !entry.host_number) steps.push_back(*entry.tensor);
  }
  if (!tensors.empty())
    throw bad(path, "is of another model or optimizer: '" + tensors.begin()->first.first + "' has a '" +
                        tensors.begin()->first.second + "' there");
  if (fixes.resume_steps_on_cpu && optimizer.reads_steps()) fixes::steps_to_cpu(steps);
  optimizer.state_replaced();
  return updates;
}

}  // namespace zerostall::train
