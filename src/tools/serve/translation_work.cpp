#include "serve/translation_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/logging.h"
#include "core/utf8.h"

namespace translate::tools {

namespace {

/// Characters of a line or paragraph: its sentences are decoded one after the other, and no other line in between.
constexpr std::size_t kLongestLine = 10'000;

/// Takes the turn of a long request to read or write; a short one needs none.
std::unique_lock<std::timed_mutex> turn_of(const std::optional<LongRequests::Place>& place,
                                           RequestQueue::Clock::time_point deadline) {
  return place ? place->turn(deadline) : std::unique_lock<std::timed_mutex>();
}

std::size_t byte_count(std::span<const std::string> texts) {
  return std::transform_reduce(texts.begin(), texts.end(), std::size_t{0}, std::plus(),
                               std::mem_fn(&std::string::size));
}

/// The address of a path of this server, as the client of a request has to call it.
std::string address_of(const HttpRequest& request, const std::string& path) {
  if (request.host.empty()) {
    return path;
  }
  const bool is_https = request.forwarded_scheme == "https" || request.origin == "https://" + request.host;
  return fmt::format("{}://{}{}", is_https ? "https" : "http", request.host, path);
}

/// Returns the value of Content-Disposition for a file: its name, also for clients that know ASCII alone (RFC 6266).
std::string attachment(std::string_view name) {
  std::string ascii;
  std::string encoded;
  for (const char c : name) {
    const bool is_plain = is_ascii(std::string_view(&c, 1)) && c != '\\';
    const bool is_unreserved =
        is_plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_');
    ascii += is_plain ? c : '_';
    encoded += is_unreserved ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}", ascii, encoded);
}

}  // namespace

TranslationWork::TranslationWork(const ServiceOptions& options, ModelRegistry& models, ServiceMetrics& metrics)
    : options_(options), models_(models), metrics_(metrics), long_(options.max_long), files_(options.kept_files) {}

HttpAnswer TranslationWork::translate(const HttpRequest& request) {
  return answer(request, [&](Clock::time_point start) { return translate_texts(request, start); });
}

HttpAnswer TranslationWork::translate_file(const HttpRequest& request) {
  return answer(request, [&](Clock::time_point start) { return translate_one_file(request, start); });
}

/// Does the work, and converts exceptions to answers.
HttpAnswer TranslationWork::answer(const HttpRequest& request,
                                   const std::function<HttpAnswer(Clock::time_point start)>& work) {
  const auto start = Clock::now();
  HttpAnswer answer;
  try {
    answer = request.overload ? busy_answer("too many connections; try again later") : work(start);
  } catch (const RequestError& error) {
    answer = error_answer(error.status(), error.what());
  } catch (const QueueRefusal& refusal) {
    answer = refusal.reason() == Refusal::kLate ? error_answer(504, refusal.what()) : busy_answer(refusal.what());
  } catch (const RoomRefusal& refusal) {
    answer = busy_answer(refusal.what(), refusal.after());
  } catch (const std::exception& error) {
    log_error(fmt::format("a request failed: {}", error.what()));  // the details are for the log alone
    answer = error_answer(500, "the translation failed");
  }
  const auto time = Clock::now() - start;
  metrics_.count(answer.status, time);
  log_debug(fmt::format("POST {}: {} after {:.1f} ms", request.path, answer.status,
                        std::chrono::duration<double, std::milli>(time).count()));
  return answer;
}

void TranslationWork::check_texts(std::size_t characters, std::span<const ReadText> texts) const {
  if (characters > options_.max_characters) {
    throw RequestError(
        400, fmt::format("the request has {} characters of text, of {} at most", characters, options_.max_characters));
  }
  for (const auto& text : texts) {
    for (const auto& line : text.document->texts()) {
      if (line.size() > kLongestLine && count_characters({&line, 1}) > kLongestLine) {
        throw RequestError(400, fmt::format("a line or paragraph has {} characters, of {} at most; divide it into "
                                            "several",
                                            count_characters({&line, 1}), kLongestLine));
      }
    }
  }
}

/// Translates the lines of texts, of which there must not be too many.
std::vector<Candidates> TranslationWork::translate(RoutedTexts& texts, const WantedDetails& wanted,
                                                   Clock::time_point deadline) const {
  if (texts.line_count() > options_.max_lines) {
    throw RequestError(400, fmt::format("the request has {} lines to translate, of {} at most", texts.line_count(),
                                        options_.max_lines));
  }
  return texts.translate(wanted, options_.portion, deadline);
}

HttpAnswer TranslationWork::translate_texts(const HttpRequest& request, Clock::time_point start) {
  const auto wanted = read_translation_request(request);
  const auto models = models_.current();  // a model that is replaced meanwhile finishes this request
  const TextRouter router(*models, wanted);
  Place place;
  if (byte_count(wanted.texts) > LongRequests::kShort) {
    place.emplace(long_.enter());
  }
  std::size_t characters = wanted.format == TextFormat::kText ? count_characters(wanted.texts) : 0;
  check_texts(characters, {});
  std::vector<ReadText> read;
  {
    const auto turn = turn_of(place, start + options_.timeout);
    read = read_texts(wanted, router.target());
  }
  for (const auto& text : read) {
    characters += wanted.format == TextFormat::kHtml ? count_characters(text.document->texts()) : 0;
  }
  check_texts(characters, read);
  RoutedTexts texts(router, std::move(read));
  const auto deadline = start + time_limit(options_, characters);
  const auto translated = translate(
      texts, {.alternatives = wanted.alternatives > 0, .keep = wanted.keep, .glossary = wanted.glossary}, deadline);
  metrics_.count_text(wanted.texts.size(), characters);
  const auto turn = turn_of(place, deadline);
  return as_clients_mistake([&] { return translation_answer(wanted, texts.texts(), translated); });
}

HttpAnswer TranslationWork::translate_one_file(const HttpRequest& request, Clock::time_point start) {
  if (options_.max_file == 0) {
    throw RequestError(403, "this server translates no files: it was started with --max-file-size 0");
  }
  const auto wanted = read_file_request(request, options_.max_file);
  const auto models = models_.current();
  const TextRouter router(*models, wanted.wanted);
  const Place place(long_.enter());
  files_.check_room(wanted.bytes.size(), Clock::now());
  ReadFile file;
  {
    const auto turn = turn_of(place, start + options_.timeout);
    file = read_file(wanted, router.target(), options_.max_file);
  }
  const auto characters = count_characters(file.text.document->texts());
  check_texts(characters, {&file.text, 1});
  std::vector<ReadText> read;
  read.push_back(std::move(file.text));
  RoutedTexts texts(router, std::move(read));
  const auto deadline = start + time_limit(options_, characters);
  auto translated = translate(texts, {.keep = wanted.wanted.keep, .glossary = wanted.wanted.glossary}, deadline);
  auto missing_terms = words_json(translated, &ScoredText::missing_terms);
  std::vector<AlignedText> translations;
  for (auto& candidates : translated) {
    translations.push_back(
        {.text = std::move(candidates.front().text), .alignment = std::move(candidates.front().alignment)});
  }
  metrics_.count_text(1, characters);
  const auto turn = turn_of(place, deadline);
  auto bytes =
      as_clients_mistake([&] { return file.byte_order_mark + texts.texts().front().document->write(translations); });
  const auto key = files_.keep(translated_name(wanted.name, router.target()), std::move(bytes), Clock::now());
  Json json = {{"translatedFileUrl", address_of(request, std::string(kDownloads) + key)}};
  if (!missing_terms.empty()) {
    json["missing_terms"] = std::move(missing_terms);
  }
  return json_answer(200, json);
}

HttpAnswer TranslationWork::download(const HttpRequest& request) const {
  const auto file = files_.find(std::string_view(request.path).substr(kDownloads.size()), Clock::now());
  return {.status = 200,
          .content_type = "application/octet-stream",
          .body = "",
          .headers = {{"Content-Disposition", attachment(file.name)},
                      {"Content-Security-Policy", "default-src 'none'; sandbox"},
                      {"Cache-Control", "no-store"}},
          .shared_body = file.bytes};
}

}  // namespace translate::tools
