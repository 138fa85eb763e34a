#include "support/golden_case.h"

#include <ATen/ATen.h>

#include <filesystem>

#include "config/config_file.h"
#include "support/folders.h"

namespace translate::testing {

ModelOptions parse_model_options(const std::string& json) {
  const auto text = R"({"data": {"train": {"source": "a", "target": "b"}}, "model": )" + json + "}";
  return config_from_json_text(text, "golden model", "/").model;
}

namespace {

std::filesystem::path golden_folder() { return project_folder() / "tests/golden/model"; }

std::filesystem::path golden_file(const std::string& name) { return golden_folder() / (name + ".safetensors"); }

}  // namespace

GoldenCase::GoldenCase(const std::string& name) : file_(golden_file(name)) {
  const auto& metadata = file_.metadata();
  const auto number = [&](const char* key) { return std::stoll(metadata.at(key)); };
  options_ = parse_model_options(metadata.at("model"));
  special_tokens_ = {.unk = number("unk"), .sos = number("sos"), .eos = number("eos"), .pad = number("pad")};
  sizes_ = {.source = number("source_vocab_size"),
            .target = number("target_vocab_size"),
            .source_pad = special_tokens_.pad,
            .target_pad = special_tokens_.pad};
  label_smoothing_ = std::stod(metadata.at("label_smoothing"));
}

trainer::Transformer GoldenCase::model() const {
  auto model = trainer::build_transformer(options_, sizes_);
  trainer::load_parameters(model, all("parameter"), file_.path().string());
  model->eval();
  return model;
}

trainer::NamedTensors GoldenCase::all(const std::string& kind) const {
  trainer::NamedTensors found;
  const auto prefix = kind + ".";
  for (const auto& name : file_.names()) {
    if (name.starts_with(prefix)) {
      found.emplace_back(name.substr(prefix.size()), trainer::tensor_of(file_, name));
    }
  }
  return found;
}

at::Tensor golden_tensor(const std::string& file, const std::string& name) {
  return trainer::tensor_of(SafetensorsFile(golden_file(file)), name);
}

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder())) {
    if (entry.path().extension() == ".safetensors" && entry.path().stem() != "random_state") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

AttentionParameters attention_parameters(const ModelOptions& options) {
  return describe_parameters(options, /*sizes=*/{}).encoder.layers.front().self_attention_block.value();
}

}  // namespace translate::testing
