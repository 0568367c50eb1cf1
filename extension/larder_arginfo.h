/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 4bbc0981c5c7c812040c43bbb505408b3007d345 */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_fetch, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_fetch_multiple, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_store, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_store_multiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_larder_add arginfo_larder_store

#define arginfo_larder_replace arginfo_larder_store

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_fetch_cas, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(1, cas, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_store_cas, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, cas, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_delete, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_delete_multiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_larder_exists arginfo_larder_delete

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_touch, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_larder_increment, 0, 1, MAY_BE_LONG|MAY_BE_FALSE)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, step, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_larder_decrement arginfo_larder_increment

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_cas, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, old, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, new, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_clear, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_release, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_larder_resize arginfo_larder_clear

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_info, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_larder_pid arginfo_larder_release


ZEND_FUNCTION(larder_fetch);
ZEND_FUNCTION(larder_fetch_multiple);
ZEND_FUNCTION(larder_store);
ZEND_FUNCTION(larder_store_multiple);
ZEND_FUNCTION(larder_add);
ZEND_FUNCTION(larder_replace);
ZEND_FUNCTION(larder_fetch_cas);
ZEND_FUNCTION(larder_store_cas);
ZEND_FUNCTION(larder_delete);
ZEND_FUNCTION(larder_delete_multiple);
ZEND_FUNCTION(larder_exists);
ZEND_FUNCTION(larder_touch);
ZEND_FUNCTION(larder_increment);
ZEND_FUNCTION(larder_decrement);
ZEND_FUNCTION(larder_cas);
ZEND_FUNCTION(larder_clear);
ZEND_FUNCTION(larder_release);
ZEND_FUNCTION(larder_resize);
ZEND_FUNCTION(larder_info);
ZEND_FUNCTION(larder_pid);


static const zend_function_entry ext_functions[] = {
	ZEND_FE(larder_fetch, arginfo_larder_fetch)
	ZEND_FE(larder_fetch_multiple, arginfo_larder_fetch_multiple)
	ZEND_FE(larder_store, arginfo_larder_store)
	ZEND_FE(larder_store_multiple, arginfo_larder_store_multiple)
	ZEND_FE(larder_add, arginfo_larder_add)
	ZEND_FE(larder_replace, arginfo_larder_replace)
	ZEND_FE(larder_fetch_cas, arginfo_larder_fetch_cas)
	ZEND_FE(larder_store_cas, arginfo_larder_store_cas)
	ZEND_FE(larder_delete, arginfo_larder_delete)
	ZEND_FE(larder_delete_multiple, arginfo_larder_delete_multiple)
	ZEND_FE(larder_exists, arginfo_larder_exists)
	ZEND_FE(larder_touch, arginfo_larder_touch)
	ZEND_FE(larder_increment, arginfo_larder_increment)
	ZEND_FE(larder_decrement, arginfo_larder_decrement)
	ZEND_FE(larder_cas, arginfo_larder_cas)
	ZEND_FE(larder_clear, arginfo_larder_clear)
	ZEND_FE(larder_release, arginfo_larder_release)
	ZEND_FE(larder_resize, arginfo_larder_resize)
	ZEND_FE(larder_info, arginfo_larder_info)
	ZEND_FE(larder_pid, arginfo_larder_pid)
	ZEND_FE_END
};
