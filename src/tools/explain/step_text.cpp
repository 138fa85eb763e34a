#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/enum_names.h"
#include "core/terminal.h"
#include "explain/step_report.h"
#include "explain/text_layout.h"

namespace translate::tools {

namespace {

std::string shape_of(std::size_t sentences, std::int64_t length) {
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(sentences), length};
  return shape_text(shape);
}

/// Returns a line on one side of a padded batch.
std::string side_text(std::string_view name, const trainer::ExplainedBatch& batch, std::int64_t length,
                      std::int64_t tokens) {
  const auto positions = static_cast<double>(batch.pairs.size()) * static_cast<double>(length);
  return fmt::format("  {}{}{} subwords, padding {:.1f} %\n", pad_right(name, 15),
                     pad_right(shape_of(batch.pairs.size(), length), 14), tokens,
                     100.0 * (1.0 - static_cast<double>(tokens) / positions));
}

std::string batches_text(const std::vector<trainer::ExplainedBatch>& batches) {
  std::string text;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto& batch = batches[i];
    text += batches.size() == 1 ? "\nBatch\n" : fmt::format("\nBatch {} of {} in this step\n", i + 1, batches.size());
    text += side_text("encoder input", batch, batch.source_length, batch.source_tokens);
    text += side_text("decoder input", batch, batch.target_length, batch.target_tokens);
    text += side_text("labels", batch, batch.target_length, batch.target_tokens);
  }
  return text;
}

std::string forcing_row(std::string_view position, std::string_view reads, std::string_view expected,
                        std::string_view numbers) {
  return "  " + pad_left(position, 8) + "  " + pad_right(reads, 17) + " " + pad_right(expected, 17) +
         std::string(numbers) + "\n";
}

/// Returns the target of the shortest pair of a batch, position by position.
std::string forcing_text(const trainer::ExplainedBatch& batch) {
  constexpr std::size_t kMostRows = 24;
  const auto& pair =
      *std::ranges::min_element(batch.pairs, {}, [](const trainer::ExplainedPair& each) { return each.label.size(); });
  std::string source;
  for (const auto& subword : pair.encoder_input) {
    source += (source.empty() ? "" : " ") + subword.text;
  }
  auto text = "\nTeacher forcing, by the shortest pair of the batch\n" +
              wrapped("source, " + std::filesystem::path(pair.origin).filename().string() + ": " + source) +
              "The decoder reads the reference, one position behind what it has to predict.\n" +
              forcing_row("position", "reads", "expected", "      loss minimised probability");
  const auto rows = std::min(pair.label.size(), kMostRows);
  for (std::size_t i = 0; i < rows; ++i) {
    text += forcing_row(
        std::to_string(i), pair.decoder_input[i].text, pair.label[i].text,
        fmt::format("{:>10.4f}{:>10.4f}{:>12.4f}", pair.loss[i], pair.minimised_loss[i], std::exp(-pair.loss[i])));
  }
  if (rows < pair.label.size()) {
    text += fmt::format("  (the first {} of {} positions)\n", rows, pair.label.size());
  }
  return text;
}

std::string target_text(const trainer::ExplainedTarget& target, const TrainingOptions& training) {
  auto text = fmt::format(
      "\nTarget of each position, over {0} subwords (label smoothing {1:g})\n"
      "  expected subword    {2:<12.6g} 1 - {1:g} + {1:g}/{0}\n"
      "  any other subword   {3:<12.6g} {1:g}/{0}\n"
      "  subword for padding {4:<12.6g} as any other\n"
      "  sum                 {5:.4g}\n"
      "Positions of padding have no target: they are neither predicted nor counted.\n",
      target.classes, training.label_smoothing, target.at_label, target.elsewhere, target.at_padding, target.sum);
  if (!training.teacher.empty()) {
    text += fmt::format(
        "Where there are predictions of training.teacher, these targets are multiplied by {:g}, and {:g} times the\n"
        "probabilities that it predicts is added.\n",
        1.0 - training.teacher_weight, training.teacher_weight);
  }
  return text;
}

std::string loss_text(const trainer::StepExplanation& step) {
  std::int64_t labels = 0;
  for (const auto& batch : step.batches) {
    labels += batch.target_tokens;
  }
  const auto row = [](std::string_view name, double with, double without) {
    return fmt::format("  {:<28}{:>14.4f}{:>18.4f}\n", name, with, without);
  };
  const auto& with = step.loss;
  const auto& without = step.loss_without_dropout;
  auto text = fmt::format("\nLoss in nats, the mean of {} labels\n  {:<28}{:>14}{:>18}\n", labels, "", "in this step",
                          "without dropout");
  text += row("cross entropy", with.plain, without.plain);
  text += row("against smoothed targets", with.smoothed, without.smoothed);
  if (with.divergence) {
    text += fmt::format("  {:<28}{:>14.4f}\n", "divergence of two passes", *with.divergence);
  }
  if (with.guided && without.guided) {
    text += row("alignment (guided)", *with.guided, *without.guided);
  }
  text += row("minimised", with.minimised, without.minimised);
  return text + fmt::format("Guessing all subwords with the same probability gives ln {} = {:.4f}.\n",
                            step.target.classes, std::log(static_cast<double>(step.target.classes)));
}

/// The same place in all layers of a stack.
struct PlaceInLayers {
  std::string module;  ///< with "*" for the number of the layer
  double probability = 0.0;
  double fewest = 1.0;  ///< the smallest and the largest share of zeros
  double most = 0.0;
  double scale = 1.0;
};

/// Returns "encoder.layers.3.x" as "encoder.layers.*.x".
std::string of_any_layer(const std::string& module) {
  constexpr std::string_view kLayers = ".layers.";
  const auto layers = module.find(kLayers);
  if (layers == std::string::npos) {
    return module;
  }
  const auto number = layers + kLayers.size();
  return module.substr(0, number) + "*" + module.substr(module.find('.', number));
}

std::string dropout_text(const trainer::DropoutReport& dropout) {
  std::vector<PlaceInLayers> places;
  for (const auto& place : dropout.places) {
    const auto module = of_any_layer(place.module);
    auto found = std::ranges::find(places, module, &PlaceInLayers::module);
    if (found == places.end()) {
      places.push_back({.module = module, .probability = place.probability, .scale = place.scale});
      found = std::prev(places.end());
    }
    found->fewest = std::min(found->fewest, place.zeros);
    found->most = std::max(found->most, place.zeros);
  }
  std::string text = "\nDropout\n";
  if (places.empty()) {
    text += "  none: all its probabilities are 0\n";
  } else {
    text += fmt::format("  {:<48}{:>7}{:>15}{:>8}\n", "module", "p", "zeros", "factor");
  }
  for (const auto& place : places) {
    const auto zeros = place.most - place.fewest < 5e-5
                           ? fmt::format("{:.2f} %", 100.0 * place.most)
                           : fmt::format("{:.2f}-{:.2f} %", 100.0 * place.fewest, 100.0 * place.most);
    text += fmt::format("  {:<48}{:>7.3g}{:>15}{:>8.4f}\n", place.module, place.probability, zeros, place.scale);
  }
  for (const auto& layer : dropout.layers_left_out) {
    text += fmt::format("  {} was left out of the pass (layer_drop)\n", layer);
  }
  return text;
}

std::string norms_row(const trainer::UpdateNorms& norms) {
  return fmt::format("  {:<40}{:>10.3g}{:>10.3g}{:>10.3g}{:>8.2g}\n", norms.name, norms.gradient, norms.weight,
                     norms.update, norms.ratio());
}

std::string update_text(const trainer::StepExplanation& step) {
  const auto& update = step.update;
  const auto& training = step.config.training;
  auto text = fmt::format("\nGradients and update: norms by module\n  {:<40}{:>10}{:>10}{:>10}{:>8}\n", "module",
                          "gradient", "weight", "update", "ratio");
  for (const auto& norms : trainer::norms_by_module(update.parameters)) {
    text += norms_row(norms);
  }
  text += norms_row({.name = "all",
                     .shape = {},
                     .gradient = update.gradient_norm,
                     .weight = update.weight_norm,
                     .update = update.update_norm});
  const auto clip = training.clip_grad_norm;
  if (clip == 0.0) {
    text += "Clipping is off (clip_grad_norm 0).\n";
  } else if (update.clipped_norm < update.gradient_norm) {
    text +=
        wrapped(fmt::format("Clipping: all gradients are divided by {:.4g}, so that their norm becomes {:.4g} "
                            "(clip_grad_norm {:g}).",
                            update.gradient_norm / update.clipped_norm, update.clipped_norm, clip));
  } else {
    text += fmt::format("Clipping changes nothing: the norm is within clip_grad_norm {:g}.\n", clip);
  }
  return text + fmt::format("Learning rate of step {}: {:.6g} (schedule {}, {} warm-up steps)\nOptimizer: {}\n",
                            step.step, update.learning_rate, to_string(training.schedule), training.warmup_steps,
                            to_string(training.optimizer.type));
}

std::string weight_text(const trainer::ExplainedWeight& weight, const trainer::StepExplanation& step) {
  const auto& adam = step.config.training.optimizer;
  auto text = fmt::format(
      "\nOne weight: {}[{}][{}]\n"
      "  before        {:.9g}\n"
      "  gradient      {:.6g}, after clipping g = {:.6g}\n"
      "  first moment  {:.6g} becomes m = {:.6g}\n"
      "  second moment {:.6g} becomes v = {:.6g}\n"
      "  after         {:.9g}, a change of {:.6g}\n",
      weight.parameter, weight.index.at(0), weight.index.at(1), weight.before, weight.gradient, weight.clipped_gradient,
      weight.exp_avg_before, weight.exp_avg, weight.exp_avg_sq_before, weight.exp_avg_sq, weight.after,
      weight.after - weight.before);
  // 1 - beta has the rounding of a subtraction, which six digits hide; beta is shown as it was given.
  text += fmt::format("Adam: m becomes {} m + {:g} g, v becomes {} v + {:g} g^2, and then\n", adam.beta1,
                      1.0 - adam.beta1, adam.beta2, 1.0 - adam.beta2);
  text += fmt::format("  change = -rate m/(1 - {}^N) / (sqrt(v/(1 - {}^N)) + {:g}), N = {}\n", adam.beta1, adam.beta2,
                      adam.epsilon, step.step);
  if (adam.weight_decay > 0.0) {
    text += fmt::format("Weight decay adds -rate {:g} times the weight before.\n", adam.weight_decay);
  }
  return text;
}

}  // namespace

std::string step_text(const trainer::StepExplanation& step) {
  const auto first = step.first_batch + 1;
  const auto last = step.first_batch + static_cast<std::int64_t>(step.batches.size());
  auto text =
      fmt::format("Step {} of the training: epoch {}, batch {} of {}\n", step.step, step.epoch,
                  first == last ? std::to_string(first) : fmt::format("{}-{}", first, last), step.batches_in_epoch) +
      wrapped("It starts from " + step.start + ".");
  text += batches_text(step.batches);
  text += forcing_text(step.batches.front());
  text += target_text(step.target, step.config.training);
  text += loss_text(step);
  text += dropout_text(step.dropout);
  text += update_text(step);
  if (step.update.weight) {
    text += weight_text(*step.update.weight, step);
  }
  return text;
}

}  // namespace translate::tools
