/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: f91acdea23ac04004597cd750a8ece625e12a184 */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_last_error, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_last_error_msg, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_fetch, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_fetch_if, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, guard, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_fetch_multiple, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_store, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_MASK(0, stale, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, cost, IS_DOUBLE, 0, "0.0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_store_multiple, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_add, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

#define arginfo_larder_add_multiple arginfo_larder_store_multiple

#define arginfo_larder_replace arginfo_larder_add

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_fetch_cas, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(1, cas, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_store_cas, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, cas, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_MASK(0, stale, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, cost, IS_DOUBLE, 0, "0.0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_delete, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_delete_multiple, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_delete_prefix, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, prefix, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_larder_exists arginfo_larder_delete

#define arginfo_larder_exists_multiple arginfo_larder_delete_multiple

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_touch, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_larder_increment, 0, 1, MAY_BE_LONG|MAY_BE_FALSE)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, step, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

#define arginfo_larder_decrement arginfo_larder_increment

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_cas, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, old, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, new, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_fetch_fresh, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, beta, IS_DOUBLE, 0, "1.0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_fetch_entry, 0, 1, IS_ARRAY, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_claim, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(1, cas, IS_MIXED, 0, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, useless, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_await, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, seconds, IS_DOUBLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, cas, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_unclaim, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_clear, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_larder_release arginfo_larder_last_error

#define arginfo_larder_resize arginfo_larder_clear

#define arginfo_larder_key_info arginfo_larder_fetch_entry

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_peek, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, incomplete, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_info, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, tables, _IS_BOOL, 0, "true")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_larder_predict, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_larder_pid arginfo_larder_last_error

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_LarderIterator___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\'\'")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_LarderIterator_current, 0, 0, IS_ARRAY, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_LarderIterator_key, 0, 0, IS_STRING, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_LarderIterator_next, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_LarderIterator_rewind arginfo_class_LarderIterator_next

#define arginfo_class_LarderIterator_valid arginfo_larder_clear


ZEND_FUNCTION(larder_last_error);
ZEND_FUNCTION(larder_last_error_msg);
ZEND_FUNCTION(larder_fetch);
ZEND_FUNCTION(larder_fetch_if);
ZEND_FUNCTION(larder_fetch_multiple);
ZEND_FUNCTION(larder_store);
ZEND_FUNCTION(larder_store_multiple);
ZEND_FUNCTION(larder_add);
ZEND_FUNCTION(larder_add_multiple);
ZEND_FUNCTION(larder_replace);
ZEND_FUNCTION(larder_fetch_cas);
ZEND_FUNCTION(larder_store_cas);
ZEND_FUNCTION(larder_delete);
ZEND_FUNCTION(larder_delete_multiple);
ZEND_FUNCTION(larder_delete_prefix);
ZEND_FUNCTION(larder_exists);
ZEND_FUNCTION(larder_exists_multiple);
ZEND_FUNCTION(larder_touch);
ZEND_FUNCTION(larder_increment);
ZEND_FUNCTION(larder_decrement);
ZEND_FUNCTION(larder_cas);
ZEND_FUNCTION(larder_fetch_fresh);
ZEND_FUNCTION(larder_fetch_entry);
ZEND_FUNCTION(larder_claim);
ZEND_FUNCTION(larder_await);
ZEND_FUNCTION(larder_unclaim);
ZEND_FUNCTION(larder_clear);
ZEND_FUNCTION(larder_release);
ZEND_FUNCTION(larder_resize);
ZEND_FUNCTION(larder_key_info);
ZEND_FUNCTION(larder_peek);
ZEND_FUNCTION(larder_info);
ZEND_FUNCTION(larder_predict);
ZEND_FUNCTION(larder_pid);
ZEND_METHOD(LarderIterator, __construct);
ZEND_METHOD(LarderIterator, current);
ZEND_METHOD(LarderIterator, key);
ZEND_METHOD(LarderIterator, next);
ZEND_METHOD(LarderIterator, rewind);
ZEND_METHOD(LarderIterator, valid);


static const zend_function_entry ext_functions[] = {
	ZEND_FE(larder_last_error, arginfo_larder_last_error)
	ZEND_FE(larder_last_error_msg, arginfo_larder_last_error_msg)
	ZEND_FE(larder_fetch, arginfo_larder_fetch)
	ZEND_FE(larder_fetch_if, arginfo_larder_fetch_if)
	ZEND_FE(larder_fetch_multiple, arginfo_larder_fetch_multiple)
	ZEND_FE(larder_store, arginfo_larder_store)
	ZEND_FE(larder_store_multiple, arginfo_larder_store_multiple)
	ZEND_FE(larder_add, arginfo_larder_add)
	ZEND_FE(larder_add_multiple, arginfo_larder_add_multiple)
	ZEND_FE(larder_replace, arginfo_larder_replace)
	ZEND_FE(larder_fetch_cas, arginfo_larder_fetch_cas)
	ZEND_FE(larder_store_cas, arginfo_larder_store_cas)
	ZEND_FE(larder_delete, arginfo_larder_delete)
	ZEND_FE(larder_delete_multiple, arginfo_larder_delete_multiple)
	ZEND_FE(larder_delete_prefix, arginfo_larder_delete_prefix)
	ZEND_FE(larder_exists, arginfo_larder_exists)
	ZEND_FE(larder_exists_multiple, arginfo_larder_exists_multiple)
	ZEND_FE(larder_touch, arginfo_larder_touch)
	ZEND_FE(larder_increment, arginfo_larder_increment)
	ZEND_FE(larder_decrement, arginfo_larder_decrement)
	ZEND_FE(larder_cas, arginfo_larder_cas)
	ZEND_FE(larder_fetch_fresh, arginfo_larder_fetch_fresh)
	ZEND_FE(larder_fetch_entry, arginfo_larder_fetch_entry)
	ZEND_FE(larder_claim, arginfo_larder_claim)
	ZEND_FE(larder_await, arginfo_larder_await)
	ZEND_FE(larder_unclaim, arginfo_larder_unclaim)
	ZEND_FE(larder_clear, arginfo_larder_clear)
	ZEND_FE(larder_release, arginfo_larder_release)
	ZEND_FE(larder_resize, arginfo_larder_resize)
	ZEND_FE(larder_key_info, arginfo_larder_key_info)
	ZEND_FE(larder_peek, arginfo_larder_peek)
	ZEND_FE(larder_info, arginfo_larder_info)
	ZEND_FE(larder_predict, arginfo_larder_predict)
	ZEND_FE(larder_pid, arginfo_larder_pid)
	ZEND_FE_END
};


static const zend_function_entry class_LarderIterator_methods[] = {
	ZEND_ME(LarderIterator, __construct, arginfo_class_LarderIterator___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(LarderIterator, current, arginfo_class_LarderIterator_current, ZEND_ACC_PUBLIC)
	ZEND_ME(LarderIterator, key, arginfo_class_LarderIterator_key, ZEND_ACC_PUBLIC)
	ZEND_ME(LarderIterator, next, arginfo_class_LarderIterator_next, ZEND_ACC_PUBLIC)
	ZEND_ME(LarderIterator, rewind, arginfo_class_LarderIterator_rewind, ZEND_ACC_PUBLIC)
	ZEND_ME(LarderIterator, valid, arginfo_class_LarderIterator_valid, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static void register_larder_symbols(int module_number)
{
	REGISTER_LONG_CONSTANT("LARDER_ERROR_NONE", 0, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_ERROR_SIZE", 1, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_ERROR_ROOM", 2, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_ERROR_TYPE", 3, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_ERROR_RANGE", 4, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_ERROR_UNAVAILABLE", 5, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_CLAIM_MISSING", 1, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_CLAIM_VALUE", 2, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_CLAIM_OTHER", 3, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_CLAIM_OWN", 4, CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("LARDER_CLAIM_UNAVAILABLE", 0, CONST_PERSISTENT);
}

static zend_class_entry *register_class_LarderIterator(zend_class_entry *class_entry_Iterator)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "LarderIterator", class_LarderIterator_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_Iterator);

	return class_entry;
}
