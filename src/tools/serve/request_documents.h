#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "segments/document.h"
#include "serve/translation_request.h"

namespace translate::tools {

/// A text of a request, read as a document.
struct ReadText {
  std::unique_ptr<const Document> document;
  std::string_view bytes;  ///< what was read; of the request
};

/// Calls `work`, which reads or writes documents of a client. Throws RequestError (400) in place of DataError and
/// ConfigError.
template <class Work>
auto as_clients_mistake(const Work& work) {
  try {
    return work();
  } catch (const RequestError&) {
    throw;
  } catch (const DataError& error) {
    throw RequestError(400, error.what());
  } catch (const ConfigError& error) {
    throw RequestError(400, error.what());
  }
}

/// Reads the texts of a request to translate into `target`: plain ones line by line, HTML as a page. Throws
/// RequestError (400) if HTML takes too much memory or time. The results refer to `wanted`.
[[nodiscard]] std::vector<ReadText> read_texts(const TranslationRequest& wanted, const std::string& target);

/// A file of a request, read as its name says.
struct ReadFile {
  std::string byte_order_mark;  ///< empty if there is none
  ReadText text;
};

/// Reads the file of a request to translate into `target`. An archive may have twice `max_file` bytes, unpacked; a file
/// that is neither an archive nor plain text a quarter, as its reader may need some hundred times as much memory.
/// Throws RequestError: 413 if it has more; 400 if the format is unknown (with those that are known), this program was
/// built without its reader, or the file is damaged. The result refers to `request`.
[[nodiscard]] ReadFile read_file(const FileRequest& request, const std::string& target, std::size_t max_file);

/// Returns a document without texts.
[[nodiscard]] std::unique_ptr<const Document> unchanged_document(std::string_view bytes);

/// The suffixes of the files that can be translated: ".txt", ".html", ...
[[nodiscard]] std::vector<std::string_view> file_suffixes();

/// Returns the number of code points of texts, which are valid UTF-8.
[[nodiscard]] std::size_t count_characters(std::span<const std::string> texts);

/// Returns the name of a translated file: "a_fr.txt" for "a.txt".
[[nodiscard]] std::string translated_name(std::string_view name, std::string_view target);

}  // namespace translate::tools
