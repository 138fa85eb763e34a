#pragma once

#include <filesystem>
#include <memory>

#include "languages/language_names.h"
#include "segments/glossary.h"

namespace translate {

/// Reads a glossary, plain or gzip: TBX if the file's suffix says so (is_term_base), of which the terms between the
/// model's `languages` are taken; otherwise text with a term a line: the source's, a tab, the translation's. What
/// follows a second tab is a note, which does not count; blank lines do not either. Of two terms with the same source
/// the first one counts, with a warning if their targets differ. Throws DataError with file and line for a line without
/// a tab, for a term that cannot be used (fault_of), and as read_lines does; for TBX as read_term_base does, and if it
/// has more bytes than a document may have.
[[nodiscard]] std::shared_ptr<const Glossary> read_glossary(const std::filesystem::path& path,
                                                            const LanguageCodes& languages);

}  // namespace translate
