#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "corpora/corpus_reader.h"
#include "languages/language_names.h"
#include "pairs/pair_source.h"

namespace translate {

/// Formats of translators that are XML.
enum class XmlPairFormat {
  kTmx,   ///< TMX 1.4: units of a sentence in several languages
  kXliff  ///< XLIFF 1.2 and 2: units with a source and mostly a target
};

/// The languages of a file, in the order in which they are to be preferred as source and target: those of its head
/// first, then those of its first units.
[[nodiscard]] std::vector<std::string> languages_of_xml(std::unique_ptr<ByteReader> bytes,
                                                        const std::filesystem::path& path, XmlPairFormat format);

/// The pairs of a file in two of its languages, as plain text: what stands in native codes (`<ph>`, `<bpt>`, ...) is
/// left out. Units without one of the languages, or with an empty one, are left out; of several texts in one language
/// the first counts. The file is read in chunks. Throws DataError, with the line, if it is not well-formed, or defines
/// entities.
[[nodiscard]] std::unique_ptr<PairSource> xml_pairs(std::unique_ptr<ByteReader> bytes, std::filesystem::path path,
                                                    XmlPairFormat format, const LanguageCodes& languages);

}  // namespace translate
