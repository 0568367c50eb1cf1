/* The functions for other modules; see larder_api.h. */
#ifndef LARDER_PHP_API_H
#define LARDER_PHP_API_H

#include "php_larder.h"

/* Bytes of the segment that the module apcu uses; 0: that module is not loaded. */
zend_long api_segment_size(void);

#endif
