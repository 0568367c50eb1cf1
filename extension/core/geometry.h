/* The division of a segment's bytes into tables and pages: from a size to a header to a map. */
#ifndef LARDER_GEOMETRY_H
#define LARDER_GEOMETRY_H

#include "cache.h"
#include "ref.h"

extern const char SEGMENT_MAGIC[8];

enum { SEGMENT_DIRECTORY_MAX = 400 };
_Static_assert((int)CACHE_PROCESSES_MAX == (int)RECORDS_MAX, "a process has a record");

/* Core's layout version mixed with the binding's value layout. */
uint64_t geometry_layout(uint64_t value_layout);

/* Fills the fixed part of a header for a file of `size` bytes. */
void geometry_plan(struct header_shared *header, const struct cache_options *options, uint64_t size);

/* Bytes at the beginning of the file that have memory from its creation on. */
uint64_t geometry_tables(const struct header_shared *header);

/* The readers' share of pages as stored in headers: in millionths. */
uint64_t geometry_pin_share(const struct cache_options *options);

/* Writes the checksum, once the fixed part is complete. */
void geometry_sign(struct header_shared *header);

/* True if a header, read from a file of `size` bytes, is whole and of this layout. */
bool geometry_valid(const struct header_shared *header, uint64_t size, uint64_t layout);

/* Fills the map from a valid header; the mappings are set already. */
void geometry_map(struct map *map, const struct header_shared *header);

#endif
