#include "model/modules/model_size.h"

#include <algorithm>
#include <string_view>

namespace translate {

namespace {

/// Maps "encoder.layers.3.self_attention_block.w_q.weight" to "encoder.self_attention_block"; all norms of a stack are
/// one module; outside the stacks, the module is the first part of the name.
std::string module_of(std::string_view name) {
  const auto stack = std::string(name.substr(0, name.find('.')));
  if (stack != "encoder" && stack != "decoder") {
    return stack;
  }
  constexpr std::string_view kBlock = "_block";
  const auto end = name.find(kBlock);
  if (end == std::string_view::npos) {
    return stack + ".norm";
  }
  const auto begin = name.rfind('.', end) + 1;
  return stack + "." + std::string(name.substr(begin, end + kBlock.size() - begin));
}

}  // namespace

std::vector<std::pair<std::string, std::int64_t>> parameters_by_module(const Transformer& model) {
  std::vector<std::pair<std::string, std::int64_t>> modules;
  const auto add = [&](const std::string& module, std::int64_t count) {
    const auto found = std::ranges::find(modules, module, &std::pair<std::string, std::int64_t>::first);
    if (found == modules.end()) {
      modules.emplace_back(module, count);
    } else {
      found->second += count;
    }
  };
  for (const auto& [name, parameter] : unique_parameters(model)) {
    const auto module = module_of(name);
    if (const auto dot = module.find('.'); dot != std::string::npos) {
      add(module.substr(0, dot), parameter.numel());
    }
    add(module, parameter.numel());
  }
  return modules;
}

MultiplyAdds multiply_adds(const ModelOptions& options, std::int64_t target_vocabulary, double source_length,
                           double target_length) {
  const auto d = static_cast<double>(options.d_model);
  const double square = d * d;                                               // one of w_q, w_k, w_v, w_o
  const double feed_forward = 2.0 * d * static_cast<double>(options.d_ff);   // linear_1, linear_2
  const auto looks = [d](double positions) { return 2.0 * d * positions; };  // scores, and the sum of values
  const auto encoder_layers = static_cast<double>(options.encoder_layers);
  const auto decoder_layers = static_cast<double>(options.decoder_layers);
  const double cross = 2.0 * square + looks(source_length);  // w_q and w_o; w_k and w_v count for the source
  return {.source_token =
              encoder_layers * (4.0 * square + looks(source_length) + feed_forward) + decoder_layers * 2.0 * square,
          .target_token = decoder_layers * (4.0 * square + looks(target_length) + cross + feed_forward) +
                          d * static_cast<double>(target_vocabulary)};
}

}  // namespace translate
