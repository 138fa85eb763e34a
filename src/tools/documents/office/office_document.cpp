#include "documents/office/office_document.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "documents/office/office_archive.h"
#include "documents/office/office_parts.h"

namespace translate::tools {

namespace {

/// An archive with documents in it.
class OfficeDocument : public Document {
 public:
  /// `is_text`: whether an entry has texts. `read`: reads one.
  OfficeDocument(DocumentInput input, bool (*is_text)(std::string_view name),
                 std::unique_ptr<Document> (*read)(const DocumentInput&))
      : input_(std::move(input)) {
    OfficeArchive archive(input_.bytes, input_.name, input_.most_unpacked);
    for (const auto& name : archive.names()) {
      if (is_text(name)) {
        add(name, archive.read(name), read);
      }
    }
    if (entries_.empty()) {
      throw DataError(input_.name + ": the archive has no text of this format");
    }
  }

  [[nodiscard]] const std::vector<std::string>& texts() const override { return texts_; }
  [[nodiscard]] std::vector<std::vector<TextMark>> marks() const override {
    std::vector<std::vector<TextMark>> ranges;
    for (const auto& entry : entries_) {
      std::ranges::move(entry.document->marks(), std::back_inserter(ranges));
    }
    return ranges;
  }

  [[nodiscard]] std::string write(std::span<const AlignedText> translations) const override {
    std::map<std::string, std::string> changed;
    for (const auto& entry : entries_) {
      const auto& texts = entry.document->texts();
      const auto own = translations.first(texts.size());
      translations = translations.subspan(texts.size());
      if (!std::ranges::equal(own, texts, {}, &AlignedText::text)) {
        changed.emplace(entry.name, entry.document->write(own));
      }
    }
    return changed.empty() ? input_.bytes
                           : OfficeArchive(input_.bytes, input_.name, input_.most_unpacked).with_entries(changed);
  }

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<Document> document;
  };

  void add(const std::string& name, std::string bytes, std::unique_ptr<Document> (*read)(const DocumentInput&)) {
    if (bytes.find('\0') != std::string::npos || first_invalid_utf8(bytes)) {
      throw DataError(input_.name + ": " + name + " is not UTF-8");
    }
    entries_.push_back(
        {.name = name, .document = read({.bytes = std::move(bytes), .name = input_.name + ": " + name})});
    const auto& texts = entries_.back().document->texts();
    texts_.insert(texts_.end(), texts.begin(), texts.end());
  }

  DocumentInput input_;
  std::vector<Entry> entries_;
  std::vector<std::string> texts_;
};

bool is_odt_text(std::string_view name) { return name == "content.xml" || name == "styles.xml"; }

bool is_docx_text(std::string_view name) {
  constexpr std::string_view kFolder = "word/";
  if (!name.starts_with(kFolder) || !name.ends_with(".xml")) {
    return false;
  }
  const auto file = name.substr(kFolder.size());
  return file == "document.xml" || file == "footnotes.xml" || file == "endnotes.xml" || file.starts_with("header") ||
         file.starts_with("footer");
}

}  // namespace

std::unique_ptr<Document> read_odt(DocumentInput input) {
  return std::make_unique<OfficeDocument>(std::move(input), is_odt_text, read_odt_entry);
}

std::unique_ptr<Document> read_docx(DocumentInput input) {
  return std::make_unique<OfficeDocument>(std::move(input), is_docx_text, read_docx_entry);
}

}  // namespace translate::tools
