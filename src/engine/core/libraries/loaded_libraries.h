#pragma once

#include <unicode/ubrk.h>
#include <unicode/ucasemap.h>
#include <unicode/uchar.h>
#include <unicode/uloc.h>
#include <unicode/unorm2.h>
#include <zip.h>

namespace translate {

/// Libraries of the system that are loaded at run time, on first use: linked, each of them would add 1 to 1.5 ms to the
/// start of every program, of some 10 ms, for work that most runs never do.

/// The functions of ICU for splitting text into sentences, language names, text comparison and normalisation.
struct Icu {
  decltype(&::ubrk_open) ubrk_open;
  decltype(&::ubrk_next) ubrk_next;
  decltype(&::ubrk_close) ubrk_close;
  decltype(&::u_toupper) u_toupper;
  decltype(&::u_tolower) u_tolower;
  decltype(&::u_islower) u_islower;
  decltype(&::u_isupper) u_isupper;
  decltype(&::u_charType) u_charType;
  decltype(&::ucasemap_open) ucasemap_open;
  decltype(&::ucasemap_close) ucasemap_close;
  decltype(&::ucasemap_utf8ToLower) ucasemap_utf8ToLower;
  decltype(&::uloc_getDisplayLanguage) uloc_getDisplayLanguage;
  decltype(&::uloc_getISO3Language) uloc_getISO3Language;
  decltype(&::uloc_addLikelySubtags) uloc_addLikelySubtags;
  decltype(&::uloc_getScript) uloc_getScript;
  decltype(&::unorm2_getNFCInstance) unorm2_getNFCInstance;
  decltype(&::unorm2_getDecomposition) unorm2_getDecomposition;
  decltype(&::unorm2_normalize) unorm2_normalize;
};

/// Loads ICU on the first call. Throws RuntimeError if it is not installed. Thread-safe.
[[nodiscard]] const Icu& icu();

/// The functions of libzip for reading and writing archives.
struct Libzip {
  decltype(&::zip_source_function_create) source_function_create;
  decltype(&::zip_source_free) source_free;
  decltype(&::zip_open_from_source) open_from_source;
  decltype(&::zip_discard) discard;
  decltype(&::zip_get_num_entries) get_num_entries;
  decltype(&::zip_get_name) get_name;
  decltype(&::zip_stat_index) stat_index;
  decltype(&::zip_fopen_index) fopen_index;
  decltype(&::zip_fread) fread;
  decltype(&::zip_fclose) fclose;
  decltype(&::zip_source_buffer_create) source_buffer_create;
  decltype(&::zip_source_keep) source_keep;
  decltype(&::zip_source_open) source_open;
  decltype(&::zip_source_read) source_read;
  decltype(&::zip_source_close) source_close;
  decltype(&::zip_source_error) source_error;
  decltype(&::zip_source_file_create) source_file_create;
  decltype(&::zip_file_add) file_add;
  decltype(&::zip_close) close;
  decltype(&::zip_get_error) get_error;
  decltype(&::zip_error_strerror) error_strerror;
};

/// Loads libzip on the first call. Throws RuntimeError if it is not installed. Thread-safe.
[[nodiscard]] const Libzip& libzip();

}  // namespace translate
