#pragma once

#include <span>
#include <string>
#include <string_view>

namespace translate {

/// The sacreBLEU release whose definitions of BLEU and chrF are implemented here and which made the golden files that
/// the tests hold them against; it ends the signatures.
inline constexpr std::string_view kSacrebleuVersion = "2.6.0";

/// Throws DataError unless there is one hypothesis for each reference and at least one of them; `metric` names who
/// asks.
void check_corpus(std::string_view metric, std::span<const std::string> hypotheses,
                  std::span<const std::string> references);

}  // namespace translate
