#include "proof.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 4096, FIGURES_MAX_BYTES = 2048 };

/* A text that never exceeds its room. */
struct text {
    size_t length;
    char bytes[LINE_MAX_BYTES];
};
static char figures[FIGURES_MAX_BYTES]; /* members of an object */

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof text->bytes - text->length;
    const int length = vsnprintf(text->bytes + text->length, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room) {
        fprintf(stderr, "proof: too long a line: %.80s...\n", text->bytes);
        abort();
    }
    text->length += (size_t)length;
}

static void add_string(struct text *text, const char *string) {
    add(text, "\"");
    for (; *string; string++) {
        if (*string == '"' || *string == '\\') {
            add(text, "\\%c", *string);
        } else if ((unsigned char)*string < ' ') {
            add(text, "\\u%04x", (unsigned)*string);
        } else {
            add(text, "%c", *string);
        }
    }
    add(text, "\"");
}

static void append(struct text *line) {
    const char *path = getenv("LARDER_PROOF_RESULTS");
    figures[0] = '\0';
    if (!path || !*path) {
        return;
    }
    add(line, "}\n");
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0 || write(file, line->bytes, line->length) != (ssize_t)line->length) {
        perror(path);
        abort(); /* a lost result would be missing without notice */
    }
    close(file);
}

bool proof_is_long(void) {
    const char *length = getenv("LARDER_PROOF");
    return length && strcmp(length, "long") == 0;
}

void proof_figure(const char *name, const char *format, ...) {
    char value[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    struct text text = {0};
    add(&text, "%s%s", figures, *figures ? "," : "");
    add_string(&text, name);
    add(&text, ":");
    add_string(&text, value);
    if (text.length >= sizeof figures) {
        fprintf(stderr, "proof: too many figures at \"%s\"\n", name);
        abort();
    }
    memcpy(figures, text.bytes, text.length + 1);
}

static void record(const char *proof, proof_count tried, const char *unit, proof_count failed, uint64_t seed,
                   bool all) {
    struct text line = {0};
    add(&line, "{\"proof\":");
    add_string(&line, proof);
    add(&line, ",\"tried\":%llu,\"unit\":", tried);
    add_string(&line, unit);
    add(&line, ",\"failed\":%llu", failed);
    if (*figures) {
        add(&line, ",\"figures\":{%s}", figures);
    }
    if (seed) {
        add(&line, ",\"seed\":%llu", (unsigned long long)seed);
    }
    if (all) {
        add(&line, ",\"all\":true");
    }
    append(&line);
    if (failed) {
        fprintf(stderr, "%s: %llu of %llu %s failed\n", proof, failed, tried, unit);
        exit(1);
    }
}

void proof_record(const char *proof, proof_count tried, const char *unit, proof_count failed, uint64_t seed) {
    record(proof, tried, unit, failed, seed, false);
}

void proof_record_all(const char *proof, proof_count tried, const char *unit, proof_count failed) {
    record(proof, tried, unit, failed, 0, true);
}

void proof_control(const char *proof, const char *control, proof_count tried, proof_count failed) {
    if (failed == 0) {
        fprintf(stderr, "%s: the control did not fail: %s\n", proof, control);
        exit(1);
    }
    struct text line = {0};
    add(&line, "{\"proof\":");
    add_string(&line, proof);
    add(&line, ",\"control\":");
    add_string(&line, control);
    add(&line, ",\"tried\":%llu,\"failed\":%llu", tried, failed);
    append(&line);
}
