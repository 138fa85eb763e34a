/* The C interface of libtranslate: opens models that translate-train has trained, translates and scores with them.
 *
 * Text is UTF-8 and ends with a zero byte. Functions that can fail take the place of an error as their last argument:
 * on failure they return NULL, or 0 where they return a number, and set it to an error that translate_error_free frees;
 * on success they set it to NULL. It may be NULL itself if the reason does not matter. No function ends the process:
 * NULL for any other argument is a mistake of the caller, which such functions report as an error; functions that
 * cannot fail return 0, NULL or, for the message of an error, an empty text.
 *
 * Warnings and notices go to stderr unless translate_set_log_level silences them. */

#ifndef TRANSLATE_TRANSLATE_C_H
#define TRANSLATE_TRANSLATE_C_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library, such as "0.1.0". The text lives as long as the process. */
const char* translate_version(void);

/* ---- Errors ---- */

typedef struct translate_error translate_error;

/* Returns what happened, where, what was expected and what to do. The text lives as long as the error. */
const char* translate_error_message(const translate_error* error);

/* Returns 1 if the caller gave a wrong option, name or text, and 0 for a failure of the environment: a damaged
 * checkpoint, a full disk, a lack of memory. */
int translate_error_is_mistake(const translate_error* error);

/* NULL is allowed, here and in the other functions that free. */
void translate_error_free(translate_error* error);

/* ---- Messages ---- */

/* Shows messages of at least this level on stderr: debug, info, warning, error or off (default: info). Returns 1, or 0
 * for another name. It concerns the whole process. */
int translate_set_log_level(const char* level, translate_error** error);

/* ---- Options of a model ---- */

typedef struct translate_options translate_options;

translate_options* translate_options_new(void);
void translate_options_free(translate_options* options);

/* Sets an option; the value is text, as on the command line. The options are:
 *   device         auto (a GPU if there is one), cpu, cuda or cuda:N; anything but the CPU needs libtranslate_torch
 *   threads        the number of threads, for all models of the process (0: the processors it may use)
 *   precision      auto, fp32, bf16 or int8
 *   alignments     true or false: whether translations come with their word alignment
 *   word_scores    true or false: whether they come with the log-probability of each word
 *   raw            true or false: whether every byte is what the model generated (default: true with n_best above 1)
 *   keep           a term that translations keep as it is; set it once for each term
 *   glossary       a file of terms that translations must have, as for --glossary of translate-infer; see also
 *                  translate_options_add_term
 *   shortlist      a lexical shortlist, as for --shortlist of translate-infer
 *   target_language  the language to translate into, for a model with several: its code; a line that begins with a tag
 *                  such as >>fr<< is translated into that language all the same
 *   run_dir        the run that names such as "best" refer to
 *   config         for a file of weights: its configuration
 *   tokenizers     for a file of weights: its tokenizers, SOURCE,TARGET, or one file for both
 * and the keys of the object `decoding` of a configuration, such as beam_size, n_best, length_penalty, max_length,
 * sampling and seed; configs/README.md lists them. Those that are not set are the model's own.
 * Returns 1, or 0 for an unknown option or a value that it does not accept. Values that depend on the model or on each
 * other are checked by translate_open. */
int translate_options_set(translate_options* options, const char* name, const char* value, translate_error** error);

/* Adds a term: where a line has `source`, its translation must have `target`. Case and word boundaries are those of
 * --glossary of translate-infer. These terms win over those of the option glossary, and of several with the same source
 * the first one counts. Scores do not depend on them. Returns 1, or 0 if one of them is not UTF-8 without control
 * characters, blank, or longer than 1000 bytes. */
int translate_options_add_term(translate_options* options, const char* source, const char* target,
                               translate_error** error);

/* ---- Models ---- */

typedef struct translate_model translate_model;

/* Opens a model. `checkpoint` is what --checkpoint of translate-infer takes: the path of a checkpoint's folder, latest,
 * best, average:N, step-N, one of these after the folder of a run (runs/en-fr/best), or several, separated by commas,
 * for an ensemble. `options` may be NULL. Costs the time to read the weights. */
translate_model* translate_open(const char* checkpoint, const translate_options* options, translate_error** error);

/* Returns the same model with other options: its weights are shared, so it costs little memory and time. Options that
 * are not set are the model's own, not those with which `model` was opened; device, threads, precision, run_dir, config
 * and tokenizers cannot be set. Each of the two is closed by itself, in any order, and calls with one do not wait for
 * calls with the other: a thread of its own for each, with the option threads 1, is the fastest way to translate many
 * short texts that arrive one by one. */
translate_model* translate_with_options(const translate_model* model, const translate_options* options,
                                        translate_error** error);

/* Results that the model has given stay valid. */
void translate_close(translate_model* model);

/* ---- Lists of texts ---- */

typedef struct translate_texts translate_texts;

/* Sets `*count`, unless `count` is NULL, to the number of texts and returns them. They live as long as the list. */
const char* const* translate_texts_array(const translate_texts* texts, size_t* count);

void translate_texts_free(translate_texts* texts);

/* Returns the languages of a model, a source and a target code by turns for each direction: "en", "fr", "en", "de". A
 * code is empty if the model does not say its language. */
translate_texts* translate_languages(const translate_model* model, translate_error** error);

/* Returns the subwords that the model reads for a text: "_The", "_cat", with U+2581 in place of "_". */
translate_texts* translate_tokenize(const translate_model* model, const char* text, translate_error** error);

/* ---- Results ---- */

/* Any number of translations, or scores, for each line. */
typedef struct translate_result translate_result;

/* A word of the source and an aligned word of the translation, counted from 0; words are separated by white space. */
typedef struct translate_link {
  size_t source;
  size_t target;
} translate_link;

/* Translates `count` lines. Lines that are given together are computed together, which is faster than one by one. Each
 * line may consist of several sentences; a blank line has an empty translation. Bytes that are not valid UTF-8 are read
 * as U+FFFD. Several threads may use the same model; they wait for each other. */
translate_result* translate_lines(translate_model* model, const char* const* lines, size_t count,
                                  translate_error** error);

/* The same, where the translation of `lines[i]` must begin with the whole words `beginnings[i]` (may be empty). A line
 * with a beginning is not split into sentences. */
translate_result* translate_lines_from(translate_model* model, const char* const* lines, const char* const* beginnings,
                                       size_t count, translate_error** error);

/* Scores existing translations: `targets[i]` is a translation of `sources[i]`. The result has one candidate for each
 * pair. */
translate_result* translate_score(translate_model* model, const char* const* sources, const char* const* targets,
                                  size_t count, translate_error** error);

/* Translates the texts of a file, and leaves everything else in it as it is. `format` is a value of --format of
 * translate-infer but for text: html, markdown, srt, vtt, json, yaml, po, android, xliff, tmx, csv, tsv, odt or docx.
 * `bytes` are the content of the file, of which there are `size`. Returns the new content, which
 * translate_document_free frees, and sets `*written` to its size. */
char* translate_document(translate_model* model, const char* format, const char* bytes, size_t size, size_t* written,
                         translate_error** error);
void translate_document_free(char* document);

void translate_result_free(translate_result* result);

/* Returns the number of lines. */
size_t translate_result_lines(const translate_result* result);

/* Returns the number of candidates of a line, best first: 1, or up to the option n_best. 0 if there is no such line. */
size_t translate_result_candidates(const translate_result* result, size_t line);

/* The following return a property of candidate `index` of a line, and NULL or 0 if there is none. Texts and arrays live
 * as long as the result. */

/* The translation. */
const char* translate_result_text(const translate_result* result, size_t line, size_t index);

/* The log-probability (natural logarithm), summed over the subwords and the end. */
double translate_result_score(const translate_result* result, size_t line, size_t index);

/* The score by which candidates are compared: divided by the length penalty. */
double translate_result_normalized_score(const translate_result* result, size_t line, size_t index);

/* The share (0-1) of validation sentences of about this log-probability per subword whose chrF is at least the median,
 * as measured when the model was validated: a measure of how good the translation probably is. -1 if the model stores
 * none, for samples and scored texts, and for what was copied. */
double translate_result_confidence(const translate_result* result, size_t line, size_t index);

/* 1 if the length limit cut the translation off. */
int translate_result_is_truncated(const translate_result* result, size_t line, size_t index);

/* Sets `*count`, unless `count` is NULL, to the number of links and returns them, sorted; they need the option
 * alignments. */
const translate_link* translate_result_alignment(const translate_result* result, size_t line, size_t index,
                                                 size_t* count);

/* Sets `*count`, unless `count` is NULL, to the number of terms of glossaries that the translation lacks, because the
 * length limit cut it or the vocabulary cannot write them, and returns these target terms. */
const char* const* translate_result_missing_terms(const translate_result* result, size_t line, size_t index,
                                                  size_t* count);

/* Sets `*count`, unless `count` is NULL, to the number of subwords and returns them. */
const char* const* translate_result_tokens(const translate_result* result, size_t line, size_t index, size_t* count);

/* Sets `*count`, unless `count` is NULL, to their number and returns the log-probability of each subword, then of the
 * end; of a line of several sentences those of each, one after the other. */
const double* translate_result_token_scores(const translate_result* result, size_t line, size_t index, size_t* count);

/* Sets `*count`, unless `count` is NULL, to the number of words and returns the log-probability of each; they need the
 * option word_scores. */
const double* translate_result_word_scores(const translate_result* result, size_t line, size_t index, size_t* count);

#ifdef __cplusplus
}
#endif

#endif
