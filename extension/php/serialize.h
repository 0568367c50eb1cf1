/*
 * Serializes objects, and arrays that contain objects or shared references: by igbinary if it is loaded, otherwise
 * as serialize() does. Both directions run user code, so neither may be called between cache_reserve() and
 * cache_commit().
 */
#ifndef LARDER_SERIALIZE_H
#define LARDER_SERIALIZE_H

#include "php_larder.h"

/*
 * Returns the bytes of a value and their kind, VALUE_PHP, VALUE_IGBINARY or VALUE_INCOMPLETE. NULL with an
 * exception: the value cannot be serialized (closures, generators, resources), or user code threw. NULL without one:
 * the result would be longer than `most` bytes, or have more levels than unserialize_max_depth. Inside objects that
 * serialize themselves (__serialize, __sleep, Serializable), neither is noticed before serializing.
 */
zend_string *serialize_value(zval *value, size_t most, uint32_t *kind, bool *too_deep);

/* True if this process serializes objects by igbinary. */
bool serialize_uses_igbinary(void);

/* A function of igbinary; NULL: it is not loaded. */
zend_function *igbinary_function(const char *name, size_t length);

/*
 * Unserializes bytes. False: they cannot be read here any more. That raises no exception and no warning; only exit()
 * in a class's code leaves its exception. Runs user code: autoloaders, __unserialize(), destructors.
 */
bool unserialize(zend_string *bytes, uint32_t kind, zval *result);

/* The same for the stored form of a graph, see graph_build() in graph.h. */
bool unserialize_graph(const zend_array *stored, zval *result);

/* Ends the muting of errors, if they are muted. */
void unserialize_unmute(void);

/* Called at module start, at module shutdown, and at request start. */
void unserialize_register(void);
void unserialize_unregister(void);
void unserialize_reset(void);

#endif
