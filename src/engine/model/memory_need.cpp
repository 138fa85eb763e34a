#include "model/memory_need.h"

#include <fmt/format.h>

#include <string>

#include "core/error.h"

namespace translate {

VocabularySizes vocabulary_sizes(const TokenizerPair& tokenizers) {
  return {.source = tokenizers.source.vocab_size(),
          .target = tokenizers.target.vocab_size(),
          .source_pad = tokenizers.source.special_tokens().pad,
          .target_pad = tokenizers.target.special_tokens().pad,
          .target_sos = tokenizers.target.special_tokens().sos};
}

namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

std::string describe_sizes(const ModelOptions& options, const VocabularySizes& sizes) {
  auto text = fmt::format("model.d_model {}, model.d_ff {}, model.encoder_layers {}, model.decoder_layers {}",
                          options.d_model, options.d_ff, options.encoder_layers, options.decoder_layers);
  if (options.positions != PositionKind::kNone) {
    text += fmt::format(", model.max_positions {}", options.max_positions);
  }
  if (sizes.source > 0) {
    text += fmt::format(", vocabularies of {} and {} subwords", sizes.source, sizes.target);
  }
  return text;
}

}  // namespace

double training_bytes_of_weight(const TrainingOptions& options) {
  const double moments = options.optimizer.type == OptimizerType::kMuon ? 1.0 : 2.0;
  const double average = options.ema_decay > 0.0 ? 1.0 : 0.0;
  return kBytesOfWeight * (1.0 + 1.0 + moments + average);
}

double memory_need(const ModelOptions& options, const VocabularySizes& sizes, double bytes_of_weight) {
  double bytes = parameter_total(options, sizes) * bytes_of_weight;
  if (options.positions == PositionKind::kSinusoidal) {
    bytes += kBytesOfWeight * static_cast<double>(options.max_positions) * static_cast<double>(options.d_model);
  }
  return bytes;
}

bool fits_in_memory(double bytes, const ComputeDevice& device) {
  return (device.kind() == DeviceKind::kCpu && bytes <= kGibibyte) ||
         bytes <= static_cast<double>(device.memory_capacity());
}

std::string gibibytes(double bytes) {
  constexpr double kMany = 1e6;
  const double amount = bytes / kGibibyte;
  return amount < kMany ? fmt::format("{:.1f} GiB", amount) : fmt::format("{:.1e} GiB", amount);
}

void check_memory_need(const ModelOptions& options, const VocabularySizes& sizes, double bytes_of_weight,
                       const ComputeDevice& device) {
  const double need = memory_need(options, sizes, bytes_of_weight);
  if (fits_in_memory(need, device)) {
    return;
  }
  throw ConfigError(fmt::format(
      "the model does not fit in memory: its sizes need at least {} ({} bytes for each of {:.4g} parameters), and this "
      "process can have {} at most on {}. The sizes are {}: lower the largest",
      gibibytes(need), bytes_of_weight, parameter_total(options, sizes),
      gibibytes(static_cast<double>(device.memory_capacity())), device.name(), describe_sizes(options, sizes)));
}

Precision resolve_precision(Precision precision, DeviceKind device) {
  if (precision != Precision::kAuto) {
    return precision;
  }
  return device == DeviceKind::kCpu ? Precision::kFp32 : Precision::kBf16;
}

}  // namespace translate
