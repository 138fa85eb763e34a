#include "translate/apps/translation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace translate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSeparator = " ||| ";

std::string score_text(double score) { return fmt::format("{:.4f}", score); }

/// Both scores of a candidate in an n-best list, named.
std::string scores_text(const Candidate& candidate) {
  return fmt::format("score={} normalized_score={}", score_text(candidate.score),
                     score_text(candidate.normalized_score));
}

/// What comes after the text or the score.
std::string details_text(const Candidate& candidate, const CandidateFields& fields) {
  std::string text;
  if (fields.alignments) {
    std::vector<std::string> pairs;
    for (const auto& pair : candidate.alignment) {
      pairs.push_back(fmt::format("{}-{}", pair.source, pair.target));
    }
    text += fmt::format("{}{}", kSeparator, fmt::join(pairs, " "));
  }
  if (fields.word_scores) {
    std::vector<std::string> scores;
    for (const auto score : candidate.word_scores) {
      scores.push_back(score_text(score));
    }
    text += fmt::format("{}{}", kSeparator, fmt::join(scores, " "));
  }
  return text;
}

void add_fields(const Candidate& candidate, const CandidateFields& fields, Json& json) {
  json["tokens"] = candidate.tokens;
  if (fields.score || fields.word_scores) {
    json["token_scores"] = candidate.token_scores;
  }
  if (!fields.score) {
    json["truncated"] = candidate.truncated;
  }
  if (fields.alignments) {
    json["alignment"] = Json::array();
    for (const auto& pair : candidate.alignment) {
      json["alignment"].push_back({pair.source, pair.target});
    }
  }
  if (fields.word_scores) {
    json["word_scores"] = candidate.word_scores;
  }
}

/// The candidates of an n-best list.
Json nbest_json(const std::vector<Candidate>& candidates, const CandidateFields& fields) {
  auto list = Json::array();
  for (const auto& candidate : candidates) {
    Json entry = {
        {"translation", candidate.text}, {"score", candidate.score}, {"normalized_score", candidate.normalized_score}};
    add_fields(candidate, fields, entry);
    list.push_back(std::move(entry));
  }
  return list;
}

/// The parts of a line, which were translated one by one.
Json parts_json(const std::vector<TranslatedPart>& parts, const CandidateFields& fields, bool n_best) {
  auto list = Json::array();
  for (const auto& part : parts) {
    const auto& best = part.nbest.front();
    Json entry = {{"separator", part.separator},
                  {"source", part.source},
                  {"translation", best.text},
                  {"score", best.score},
                  {"truncated", best.truncated}};
    if (n_best) {
      entry["nbest"] = nbest_json(part.nbest, fields);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string candidate_text(const Candidate& candidate, const CandidateFields& fields) {
  return (fields.score ? score_text(candidate.score) : candidate.text) + details_text(candidate, fields);
}

std::string nbest_text(const Translation& translation, const CandidateFields& fields, std::int64_t index) {
  std::vector<std::string> lines;
  const auto add = [&](const Candidate& candidate) {
    lines.push_back(fmt::format("{}{}{}{}{}{}", index, kSeparator, candidate.text, kSeparator, scores_text(candidate),
                                details_text(candidate, fields)));
  };
  for (const auto& candidate : translation.nbest) {
    add(candidate);
  }
  if (lines.empty()) {
    add(translation);  // of a blank line
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Json translation_json(const Translation& translation, const CandidateFields& fields, bool n_best) {
  Json json = {{"source", translation.source}, {"translation", translation.text}, {"score", translation.score}};
  add_fields(translation, fields, json);
  if (n_best) {
    json["nbest"] = nbest_json(translation.nbest, fields);
  }
  if (translation.parts.size() > 1) {
    json["parts"] = parts_json(translation.parts, fields, n_best);
  }
  return json;
}

}  // namespace translate
