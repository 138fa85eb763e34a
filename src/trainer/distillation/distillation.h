#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "config/options.h"
#include "training/training_outcome.h"

namespace translate::trainer {

/// The folder in that of a run with what was trained and written for its model.
inline constexpr const char* kDistillationFolder = "distillation";

/// One of the trainings of a distillation.
struct DistillationPart {
  enum class Role {
    kTeacher,
    kReverse,  ///< a model of the other direction
    kStudent
  };

  Role role = Role::kStudent;
  std::uint64_t number = 0;               ///< among those of its role that differ in the seed alone, from 0
  std::filesystem::path run_dir;          ///< the folder of its run
  std::vector<CorpusFiles> written = {};  ///< for students: what models have written, to be read besides the real text
  std::filesystem::path tokenizers = {};  ///< for students: the folder of the teachers' vocabularies; empty: none
  /// For students: the models whose predictions they learn, as --checkpoint names them; empty: none.
  std::string teachers = {};
  double minutes = 0.0;  ///< that the parts before it have taken, in this process and in those that were stopped
  double predicting_minutes = 0.0;  ///< for students: an estimate for the prediction of their labels
};

/// What a distillation needs from its caller.
struct DistillationSteps {
  /// Returns the configuration of one of its trainings.
  std::function<Config(const DistillationPart& part)> configure;
  /// Trains or resumes.
  std::function<TrainingOutcome(const Config& config)> train;
};

/// The text of a distillation, and where it happens.
struct DistillationPlan {
  DistillationOptions options;
  std::vector<CorpusFiles> text;  ///< the real pairs
  std::string source_language;    ///< for ready models of several languages; may be empty
  std::string target_language;
  std::filesystem::path run_dir;  ///< of the last student
  double writing_minutes = 0.0;   ///< about so many at most for writing and predicting, in a round (0: no limit)
};

/// Does what comes before the training of the last student, in a folder of its run, kDistillationFolder, where all of
/// it stays: trains the teachers and the model of the other direction, unless they are given, and lets them write text
/// for the student:
///
/// - distilled: the teachers together translate the real sources (Kim and Rush 2016, "Sequence-Level Knowledge
///   Distillation");
/// - back: the model of the other direction translates the real targets back (Sennrich et al. 2016, "Improving Neural
///   Machine Translation Models with Monolingual Data"; both together: Nguyen et al. 2020, "Data Diversification");
/// - taught: `drawn` new sources for each target, drawn from the model of the other direction, as the teachers
///   translate them.
///
/// With `rounds` of two and more, students of the text join the teachers, and all together write the next one. Only the
/// last student learns what the teachers predict: those of a round before shall become better than these. Without a
/// model of the other direction, only the first of the three texts is written.
///
/// Returns the last training, for the caller. What is there already is not made again. Throws StoppedBySignal if a
/// signal has stopped a training: the same call goes on from there; and what training, translating and writing throw.
[[nodiscard]] DistillationPart prepare_student(const DistillationPlan& plan, const DistillationSteps& steps);

/// Returns the configuration of a part, as follows from that of the whole: without its distillation; for the model of
/// the other direction with source and target exchanged; for students with the settings of distillation.student, and
/// with what is written behind the real text. Throws ConfigError if a setting is wrong.
[[nodiscard]] Config config_of_part(const Config& whole, const DistillationPart& part);

/// Returns the file of a tokenizer (kSourceTokenizer or kTargetTokenizer) in the folder of a model's vocabularies: of
/// subwords, or word-level.
[[nodiscard]] std::filesystem::path tokenizer_file(const std::filesystem::path& folder, const std::string& side);

/// Returns how many trainings a distillation has before that of the last student.
[[nodiscard]] std::int64_t trainings_before_student(const DistillationOptions& options);

/// Returns in words what a distillation does.
[[nodiscard]] std::string describe(const DistillationOptions& options);

/// Throws ConfigError if a ready teacher or model of the other direction is not there, or a teacher has no vocabularies
/// for a student that shall learn its predictions; CheckpointError if one is damaged. To be called before text is
/// prepared and models are trained, which takes long.
void check_ready_models(const DistillationOptions& options);

/// Returns the plan that a configuration holds.
[[nodiscard]] DistillationPlan plan_of(const Config& config);

}  // namespace translate::trainer
