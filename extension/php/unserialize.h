/* Bytes that serialize_value() made become a value again, or a miss. */
#ifndef LARDER_UNSERIALIZE_H
#define LARDER_UNSERIALIZE_H

#include "php_larder.h"

/*
 * The value of the bytes. False if they can no longer be read here, and that is no error: no exception, no warning. Only
 * exit() in the code of a class leaves its exception. Runs user code: autoloaders, __unserialize(), destructors.
 */
bool unserialize(zend_string *bytes, uint32_t kind, zval *result);

/* If errors are kept from handlers now, that ends. */
void unserialize_unmute(void);

/* At the start and the end of the module; at the start of a request. */
void unserialize_register(void);
void unserialize_unregister(void);
void unserialize_forget(void);

#endif
