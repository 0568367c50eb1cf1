#include "write.h"

#include <stdio.h>
#include <stdlib.h>

static void word(FILE *file, uint32_t value) {
    fwrite(&value, sizeof value, 1, file);
}

void trace_write(const struct trace *trace, const char *path, const struct hits hits[]) {
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fprintf(file, "{\"name\":\"%s\",\"keys\":%u,\"requests\":%zu,\"warm_up\":%zu,\"hits\":{", trace->plan->name,
            trace->keys, trace->requests, trace->warm_up);
    for (const struct hits *row = hits; row->name; row++) {
        fprintf(file, "%s\"%s\":%.2f", row == hits ? "" : ",", row->name, row->percent);
    }
    fputs("}}\n", file);
    for (uint32_t key = 0; key < trace->keys; key++) {
        word(file, trace_value_length(trace, key));
    }
    for (size_t i = 0; i < trace->requests; i++) {
        word(file, trace->request[i] | (trace_writes(trace, i) ? WRITE_STORES : 0));
    }
    if (fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}
