#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads subtitles (SubRip, WebVTT). Cues of one sentence are translated together: a cue joins the one in front of it
/// whose text does not end a sentence, unless there is a pause. The translation is parted where the cues' ends are
/// aligned, and set in lines again (see wrap_subtitle). Time codes, numbers, settings, notes and styles stay. Throws
/// DataError with the line if there is text without a time code, or a time code that is none.
[[nodiscard]] std::unique_ptr<Document> read_srt(DocumentInput input);
[[nodiscard]] std::unique_ptr<Document> read_webvtt(DocumentInput input);

/// Returns the text of a cue in lines of at most 42 characters, without counting tags: one line if it fits, else two of
/// about equal length, else as many as are needed.
[[nodiscard]] std::string wrap_subtitle(std::string_view text, std::string_view line_end);

}  // namespace translate::tools
