#include "distillation/distillation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <ratio>
#include <utility>

#include "checkpoint/checkpoint_directory.h"
#include "config/json.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/stop_signal.h"
#include "core/terminal.h"
#include "decoding/model_source.h"
#include "decoding/pair_scorer.h"
#include "distillation/pair_translator.h"
#include "distillation/written_text.h"
#include "pairs/shortlist_training.h"
#include "training/run_directory.h"

namespace translate::trainer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMinutesFile = "minutes.json";

/// The minutes that the finished parts have taken, kept in a file, so that a distillation that was stopped knows them.
class SpentMinutes {
 public:
  explicit SpentMinutes(const fs::path& folder) : file_(folder / kMinutesFile) {
    if (fs::exists(file_)) {
      minutes_ = parse_json(read_file(file_));
    }
  }

  /// Runs a part, and adds the time that it takes to that of its name.
  template <class Work>
  auto measure(const std::string& name, const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = work();
    const std::chrono::duration<double, std::ratio<60>> taken = std::chrono::steady_clock::now() - begin;
    minutes_[name] = minutes_.value(name, 0.0) + taken.count();
    write_file_atomically(file_, minutes_.dump(2) + "\n");
    return result;
  }

  [[nodiscard]] double of(const std::string& name) const { return minutes_.value(name, 0.0); }

  [[nodiscard]] double all() const {
    double sum = 0.0;
    for (const auto& one : minutes_) {
      sum += one.get<double>();
    }
    return sum;
  }

 private:
  fs::path file_;
  Json minutes_ = Json::object();
};

/// Models that translate together.
struct Models {
  std::string checkpoint;      ///< as --checkpoint names them; empty: there are none
  Json names = Json::array();  ///< for about.json

  void add(const std::string& which, Json name) {
    checkpoint += (checkpoint.empty() ? "" : ",") + which;
    names.push_back(std::move(name));
  }

  /// Adds the best checkpoint of a finished run.
  void add_run(const fs::path& run_dir) {
    const auto best = CheckpointDirectory(run_dir).resolve("best", Verify::kInference).folder();
    add(best.string(), {run_dir.filename().string(), best.filename().string()});
  }
};

/// Finds a model, whose weights are not read. Throws as ModelSource does.
ModelSource find_model(const std::string& checkpoint) {
  return {{.checkpoint = checkpoint, .run_dir = {}, .config = {}, .tokenizers = {}}, Verify::kSizes};
}

/// Throws ConfigError if a ready model translates in the opposite direction. Its languages may be unknown.
void check_direction(const ModelSource& model, const std::string& source, const std::string& target) {
  const auto checkpoint = model.checkpoint();
  if (!checkpoint || source.empty() || target.empty()) {
    return;
  }
  const auto data = checkpoint->config().data;
  if (data.source_language == target && data.target_language == source) {
    throw ConfigError(fmt::format("distillation: {} translates from {} to {}, and a model from {} to {} is needed",
                                  model.name(), target, source, source, target));
  }
}

/// Returns a ready model, which translates from one language to the other.
Models ready_models(const std::string& checkpoint, const std::string& source, const std::string& target) {
  Models models;
  if (!checkpoint.empty()) {
    const auto model = find_model(checkpoint);
    check_direction(model, source, target);
    models.add(checkpoint, model.title());  // "latest" may be another one when the work goes on
  }
  return models;
}

/// Returns the checkpoint of a ready teacher, which has the vocabularies that a student takes over.
Checkpoint checkpoint_of(const std::string& teacher) {
  const auto checkpoint = find_model(teacher).checkpoint();
  if (!checkpoint) {
    throw ConfigError(fmt::format(
        "distillation.teacher_weight: a student can learn the predictions of models that were trained here, and {} is "
        "none: leave the weight out, so that it learns from the text that the teacher writes",
        teacher));
  }
  return *checkpoint;
}

/// A distillation under way.
class Distillation {
 public:
  Distillation(const DistillationPlan& plan, const DistillationSteps& steps)
      : plan_(plan),
        options_(plan.options),
        steps_(steps),
        folder_(plan.run_dir / kDistillationFolder),
        held_(hold_folder(made(folder_))),
        spent_(folder_) {}

  DistillationPart run() {
    log_info(fmt::format("distillation: {}", describe(options_)));
    train_teachers();
    for (std::int64_t round = 1;; ++round) {
      auto student = student_of(round);
      if (round == options_.rounds) {
        student.run_dir = plan_.run_dir;
        return student;
      }
      const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(1, options_.teachers));
      for (std::uint64_t number = 0; number < count; ++number) {
        student.number = number;
        student.run_dir = folder_ / fmt::format("round-{}-student-{}", round, number + 1);
        train(student, teachers_);
      }
    }
  }

 private:
  static const fs::path& made(const fs::path& folder) {
    make_folder(folder);
    return folder;
  }

  /// Trains a part, and adds it to models.
  void train(DistillationPart part, Models& models) {
    part.minutes = spent_.all();
    const auto name = part.run_dir.filename().string();
    log_info(fmt::format("distillation: training {} ({})", name, part.run_dir.string()));
    const auto outcome = spent_.measure(name, [&] { return steps_.train(steps_.configure(part)); });
    if (outcome.signal) {
      log_info("distillation: stopped; the same command goes on from here");
      throw StoppedBySignal(*outcome.signal);
    }
    models.add_run(part.run_dir);
    ++trained_;
    log_info(fmt::format("distillation: {} took {}; {} of the {} trainings before the last one are done", name,
                         format_duration(60.0 * spent_.of(name)), trained_, trainings_before_student(options_)));
  }

  void train_teachers() {
    using Role = DistillationPart::Role;
    teachers_ = ready_models(options_.teacher, plan_.source_language, plan_.target_language);
    reverse_ = ready_models(options_.reverse, plan_.target_language, plan_.source_language);
    for (std::int64_t number = 0; number < options_.teachers; ++number) {
      train({.role = Role::kTeacher,
             .number = static_cast<std::uint64_t>(number),
             .run_dir = folder_ / fmt::format("teacher-{}", number + 1)},
            teachers_);
    }
    if (options_.teachers > 0 && reverse_.checkpoint.empty()) {
      train({.role = Role::kReverse, .run_dir = folder_ / "reverse"}, reverse_);
    }
  }

  /// Lets the models write what the students of a round read.
  DistillationPart student_of(std::int64_t round) {
    const auto prefix = options_.rounds > 1 ? fmt::format("round-{}-", round) : "";
    const bool has_reverse = !reverse_.checkpoint.empty();
    const auto forward = [&](const std::string& name, const std::vector<CorpusFiles>& text) {
      const PairTranslation how{.checkpoint = teachers_.checkpoint,
                                .side = WrittenSide::kTarget,
                                .target_language = plan_.target_language,
                                .n_best = options_.n_best,
                                .reverse_weight = has_reverse ? options_.reverse_weight : 0.0,
                                .reference_weight = options_.reference_weight,
                                .shortlist = shortlist()};
      return write(prefix + name, text, how, teachers_, has_reverse ? options_.left_out : 0.0);
    };
    DistillationPart student;
    const auto distilled = prefix + "distilled";
    student.written.push_back(forward("distilled", plan_.text));
    std::int64_t texts = 2;  // that the student reads, each as long as the real one: the real and the distilled one
    if (has_reverse) {
      PairTranslation how{
          .checkpoint = reverse_.checkpoint, .side = WrittenSide::kSource, .target_language = plan_.source_language};
      student.written.push_back(write("back", plan_.text, how, reverse_, 0.0));
      if (how.samples = drawn_for(distilled); how.samples > 0) {
        const auto drawn = write("drawn", plan_.text, how, reverse_, 0.0);
        student.written.push_back(forward("taught", {drawn}));
      }
      texts += 1 + how.samples;
    }
    if (options_.teachers > 0) {
      student.tokenizers = folder_ / "teacher-1" / "tokenizers";
    } else if (options_.teacher_weight > 0.0) {
      student.tokenizers = fs::absolute(checkpoint_of(options_.teacher).folder());
    }
    if (options_.teacher_weight > 0.0 && round == options_.rounds) {
      student.teachers = find_model(teachers_.checkpoint).name();
      student.predicting_minutes = static_cast<double>(texts) * predicting_minutes(distilled);
    }
    student.minutes = spent_.all();
    return student;
  }

  /// Returns the file of the teachers' shortlist, which is learnt from the real pairs once.
  fs::path shortlist() {
    constexpr std::size_t kMostPairs = 2'000'000;  // more of them take memory, and teach little
    if (options_.shortlist == 0) {
      return {};
    }
    auto file = folder_ / fmt::format("shortlist-{}.bin", options_.shortlist);
    if (fs::exists(file)) {
      return file;
    }
    const auto tokenizers = find_model(teachers_.checkpoint).tokenizers();
    SelectedPairs pairs(plan_.text, Selection::kTraining);
    TextPair read;
    std::size_t count = 0;
    const auto next = [&](SentencePair& pair) {
      if (count++ == kMostPairs || !pairs.next(read)) {
        return false;
      }
      pair = {.source = read.source, .target = read.target};
      return true;
    };
    const auto trained = train_shortlist(next, tokenizers, static_cast<std::size_t>(options_.shortlist));
    write_file_atomically(file, trained.file);
    log_info(fmt::format(
        "distillation: the teachers' shortlist has {:.0f} subwords for a sentence, on average, and {:.2f} % "
        "of those of the real targets",
        trained.subwords, 100.0 * trained.covered));
    return file;
  }

  CorpusFiles write(const std::string& name, const std::vector<CorpusFiles>& text, const PairTranslation& how,
                    const Models& models, double left_out) {
    const bool reads_score = how.side == WrittenSide::kTarget && (left_out > 0.0 || how.reverse_weight != 0.0);
    Json read = Json::array();
    for (const auto& files : text) {
      read.push_back({crc32_of_file(files.source), crc32_of_file(files.target)});
    }
    Json about = {{"read", std::move(read)},
                  {"written", how.side == WrittenSide::kTarget ? "target" : "source"},
                  {"models", models.names},
                  {"samples", how.samples},
                  {"n_best", how.n_best},
                  {"reverse_weight", how.reverse_weight},
                  {"reference_weight", how.reference_weight},
                  {"left_out", left_out}};
    if (!how.shortlist.empty()) {
      about["shortlist"] = options_.shortlist;
    }
    std::unique_ptr<PairTranslator> translator;  // opened if there is something to do
    return spent_.measure(name, [&] {
      return write_text({.folder = folder_ / name, .text = text, .about = std::move(about), .left_out = left_out},
                        [&](std::span<const TextPair> block, std::uint64_t number) {
                          if (!translator) {
                            translator = std::make_unique<PairTranslator>(how, reads_score ? scorer() : nullptr);
                          }
                          return (*translator)(block, number);
                        });
    });
  }

  /// The model of the other direction, which scores translations.
  std::shared_ptr<PairScorer> scorer() {
    if (!scorer_) {
      scorer_ = std::make_shared<PairScorer>(reverse_.checkpoint, ComputeOptions{}, plan_.source_language);
    }
    return scorer_;
  }

  /// Returns an estimate of the time that the teachers need to predict the labels of a text as long as the real one.
  [[nodiscard]] double predicting_minutes(const std::string& distilled) const {
    constexpr double kPredicting = 0.8;  // in times of translating it
    return options_.teacher_weight > 0.0 ? kPredicting * spent_.of(distilled) : 0.0;
  }

  /// Returns how many sources are drawn for each target: as many as the options say, or fewer if the time for writing
  /// and predicting is limited. A distillation with limited time that goes on keeps the number that it had chosen.
  std::int64_t drawn_for(const std::string& distilled) const {
    constexpr double kDrawing = 0.5;  // the time to draw one source, in times of translating back
    if (plan_.writing_minutes <= 0.0) {
      return options_.drawn;
    }
    if (const auto about = folder_ / "drawn" / "about.json"; fs::exists(about)) {
      return std::min(parse_json(read_file(about)).at("samples").get<std::int64_t>(), options_.drawn);
    }
    constexpr double kOtherTexts = 3.0;  // the real one, the distilled one, and that which is translated back
    const auto predicting = predicting_minutes(distilled);
    const auto left = plan_.writing_minutes - spent_.of(distilled) - spent_.of("back") - kOtherTexts * predicting;
    const auto each = spent_.of(distilled) + kDrawing * spent_.of("back") + predicting;
    return std::clamp(static_cast<std::int64_t>(std::floor(left / std::max(each, 1e-6))), std::int64_t{0},
                      options_.drawn);
  }

  const DistillationPlan& plan_;
  const DistillationOptions& options_;
  const DistillationSteps& steps_;
  fs::path folder_;
  HeldFolder held_;  ///< two distillations would write the same text
  SpentMinutes spent_;
  Models teachers_;
  Models reverse_;
  std::shared_ptr<PairScorer> scorer_;
  std::int64_t trained_ = 0;
};

}  // namespace

std::int64_t trainings_before_student(const DistillationOptions& options) {
  const auto reverse = options.teachers > 0 && options.reverse.empty() ? 1 : 0;
  return options.teachers + reverse + (options.rounds - 1) * std::max<std::int64_t>(1, options.teachers);
}

std::string describe(const DistillationOptions& options) {
  const auto trained = options.teachers > 0
                           ? counted(static_cast<std::uint64_t>(options.teachers), "teacher") +
                                 (options.reverse.empty() ? " and a model of the other direction are trained first"
                                                          : " will be trained first")
                           : options.teacher + " is the teacher";
  return fmt::format("{}; what they write is then read by the model of this run{}", trained,
                     options.rounds > 1 ? fmt::format(", in {} rounds", options.rounds) : "");
}

void check_ready_models(const DistillationOptions& options) {
  for (const auto& checkpoint : {options.teacher, options.reverse}) {
    if (!checkpoint.empty()) {
      (void)find_model(checkpoint);
    }
  }
  if (!options.teacher.empty() && options.teacher_weight > 0.0) {
    (void)checkpoint_of(options.teacher);
  }
}

DistillationPart prepare_student(const DistillationPlan& plan, const DistillationSteps& steps) {
  return Distillation(plan, steps).run();
}

}  // namespace translate::trainer
