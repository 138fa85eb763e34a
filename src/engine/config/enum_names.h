#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/options.h"

namespace translate {

/// The name of an enumeration's value in configurations and on command lines.
template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

inline constexpr std::array<EnumName<TokenizerType>, 5> kTokenizerTypeNames = {
    {{TokenizerType::kBpe, "bpe"},
     {TokenizerType::kUnigram, "unigram"},
     {TokenizerType::kWord, "word"},
     {TokenizerType::kChar, "char"},
     {TokenizerType::kWordLevel, "wordlevel"}}};
inline constexpr std::array<EnumName<Markup>, 2> kMarkupNames = {{{Markup::kNone, "none"}, {Markup::kHtml, "html"}}};
inline constexpr std::array<EnumName<Normalization>, 4> kNormalizationNames = {
    {{Normalization::kNmtNfkc, "nmt_nfkc"},
     {Normalization::kNfkc, "nfkc"},
     {Normalization::kNfc, "nfc"},
     {Normalization::kIdentity, "identity"}}};
inline constexpr std::array<EnumName<IgnorableCharacters>, 2> kIgnorableCharactersNames = {
    {{IgnorableCharacters::kRemove, "remove"}, {IgnorableCharacters::kKeep, "keep"}}};
inline constexpr std::array<EnumName<DecoderKind>, 2> kDecoderKindNames = {
    {{DecoderKind::kTransformer, "transformer"}, {DecoderKind::kSsru, "ssru"}}};
inline constexpr std::array<EnumName<NormPlacement>, 2> kNormPlacementNames = {
    {{NormPlacement::kPre, "pre"}, {NormPlacement::kPost, "post"}}};
inline constexpr std::array<EnumName<LayerNormKind>, 3> kLayerNormKindNames = {
    {{LayerNormKind::kTorch, "torch"}, {LayerNormKind::kReference, "reference"}, {LayerNormKind::kRms, "rms"}}};
inline constexpr std::array<EnumName<PositionKind>, 3> kPositionKindNames = {
    {{PositionKind::kSinusoidal, "sinusoidal"}, {PositionKind::kLearned, "learned"}, {PositionKind::kNone, "none"}}};
inline constexpr std::array<EnumName<SinusoidLayout>, 2> kSinusoidLayoutNames = {
    {{SinusoidLayout::kInterleaved, "interleaved"}, {SinusoidLayout::kHalves, "halves"}}};
inline constexpr std::array<EnumName<SinusoidFrequencies>, 2> kSinusoidFrequenciesNames = {
    {{SinusoidFrequencies::kPaper, "paper"}, {SinusoidFrequencies::kTensor2Tensor, "tensor2tensor"}}};
inline constexpr std::array<EnumName<Activation>, 3> kActivationNames = {
    {{Activation::kRelu, "relu"}, {Activation::kGelu, "gelu"}, {Activation::kSwish, "swish"}}};
inline constexpr std::array<EnumName<EmbeddingTying>, 3> kEmbeddingTyingNames = {
    {{EmbeddingTying::kNone, "none"}, {EmbeddingTying::kDecoder, "decoder"}, {EmbeddingTying::kAll, "all"}}};
inline constexpr std::array<EnumName<Initialization>, 3> kInitializationNames = {
    {{Initialization::kReference, "reference"},
     {Initialization::kScaled, "scaled"},
     {Initialization::kFairseq, "fairseq"}}};
inline constexpr std::array<EnumName<OptimizerType>, 2> kOptimizerTypeNames = {
    {{OptimizerType::kAdam, "adam"}, {OptimizerType::kMuon, "muon"}}};
inline constexpr std::array<EnumName<ScheduleKind>, 5> kScheduleKindNames = {
    {{ScheduleKind::kNoam, "noam"},
     {ScheduleKind::kInverseSqrt, "inverse_sqrt"},
     {ScheduleKind::kCosine, "cosine"},
     {ScheduleKind::kLinear, "linear"},
     {ScheduleKind::kConstant, "constant"}}};
inline constexpr std::array<EnumName<BestMetric>, 4> kBestMetricNames = {{{BestMetric::kAuto, "auto"},
                                                                          {BestMetric::kBleu, "bleu"},
                                                                          {BestMetric::kChrf, "chrf"},
                                                                          {BestMetric::kLoss, "loss"}}};
inline constexpr std::array<EnumName<BleuTokenization>, 5> kBleuTokenizationNames = {{{BleuTokenization::k13a, "13a"},
                                                                                      {BleuTokenization::kIntl, "intl"},
                                                                                      {BleuTokenization::kNone, "none"},
                                                                                      {BleuTokenization::kChar, "char"},
                                                                                      {BleuTokenization::kZh, "zh"}}};
inline constexpr std::array<EnumName<NonFinite>, 3> kNonFiniteNames = {
    {{NonFinite::kStop, "stop"}, {NonFinite::kSkip, "skip"}, {NonFinite::kGoBack, "go_back"}}};
inline constexpr std::array<EnumName<Precision>, 3> kPrecisionNames = {
    {{Precision::kAuto, "auto"}, {Precision::kFp32, "fp32"}, {Precision::kBf16, "bf16"}}};
inline constexpr std::array<EnumName<GuidedAlignment>, 2> kGuidedAlignmentNames = {
    {{GuidedAlignment::kOff, "off"}, {GuidedAlignment::kAuto, "auto"}}};
inline constexpr std::array<EnumName<LengthPenaltyKind>, 2> kLengthPenaltyKindNames = {
    {{LengthPenaltyKind::kGnmt, "gnmt"}, {LengthPenaltyKind::kAverage, "average"}}};

/// All names of an enumeration, in the order of the documentation. The argument only chooses the enumeration.
constexpr std::span<const EnumName<TokenizerType>> enum_names(TokenizerType) { return kTokenizerTypeNames; }
constexpr std::span<const EnumName<Normalization>> enum_names(Normalization) { return kNormalizationNames; }
constexpr std::span<const EnumName<IgnorableCharacters>> enum_names(IgnorableCharacters) {
  return kIgnorableCharactersNames;
}
constexpr std::span<const EnumName<DecoderKind>> enum_names(DecoderKind) { return kDecoderKindNames; }
constexpr std::span<const EnumName<NormPlacement>> enum_names(NormPlacement) { return kNormPlacementNames; }
constexpr std::span<const EnumName<Markup>> enum_names(Markup) { return kMarkupNames; }
constexpr std::span<const EnumName<LayerNormKind>> enum_names(LayerNormKind) { return kLayerNormKindNames; }
constexpr std::span<const EnumName<PositionKind>> enum_names(PositionKind) { return kPositionKindNames; }
constexpr std::span<const EnumName<SinusoidLayout>> enum_names(SinusoidLayout) { return kSinusoidLayoutNames; }
constexpr std::span<const EnumName<SinusoidFrequencies>> enum_names(SinusoidFrequencies) {
  return kSinusoidFrequenciesNames;
}
constexpr std::span<const EnumName<Activation>> enum_names(Activation) { return kActivationNames; }
constexpr std::span<const EnumName<EmbeddingTying>> enum_names(EmbeddingTying) { return kEmbeddingTyingNames; }
constexpr std::span<const EnumName<Initialization>> enum_names(Initialization) { return kInitializationNames; }
constexpr std::span<const EnumName<OptimizerType>> enum_names(OptimizerType) { return kOptimizerTypeNames; }
constexpr std::span<const EnumName<ScheduleKind>> enum_names(ScheduleKind) { return kScheduleKindNames; }
constexpr std::span<const EnumName<BestMetric>> enum_names(BestMetric) { return kBestMetricNames; }
constexpr std::span<const EnumName<BleuTokenization>> enum_names(BleuTokenization) { return kBleuTokenizationNames; }
constexpr std::span<const EnumName<NonFinite>> enum_names(NonFinite) { return kNonFiniteNames; }
constexpr std::span<const EnumName<Precision>> enum_names(Precision) { return kPrecisionNames; }
constexpr std::span<const EnumName<GuidedAlignment>> enum_names(GuidedAlignment) { return kGuidedAlignmentNames; }
constexpr std::span<const EnumName<LengthPenaltyKind>> enum_names(LengthPenaltyKind) { return kLengthPenaltyKindNames; }

/// An enumeration with names.
template <class Enum>
concept NamedEnum = requires(Enum value) { enum_names(value); };

/// The name of a value, e.g. "inverse_sqrt".
template <NamedEnum Enum>
[[nodiscard]] std::string to_string(Enum value) {
  for (const auto& entry : enum_names(value)) {
    if (entry.value == value) {
      return std::string(entry.name);
    }
  }
  return "?";  // no value of the enumeration
}

/// The value of a name, or nothing if no value has it.
template <NamedEnum Enum>
[[nodiscard]] std::optional<Enum> from_string(std::string_view name) {
  for (const auto& entry : enum_names(Enum{})) {
    if (entry.name == name) {
      return entry.value;
    }
  }
  return std::nullopt;
}

}  // namespace translate
