#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The sacreBLEU release whose definitions of BLEU, chrF and TER are implemented here and which made the golden files
/// that the tests hold them against; it ends the signatures.
inline constexpr std::string_view kSacrebleuVersion = "2.6.0";

/// Throws DataError unless there is at least one list of references, each of them has one for every hypothesis, and
/// there is at least one of these; `metric` names who asks.
void check_corpus(std::string_view metric, std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references);

}  // namespace translate
