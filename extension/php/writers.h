/*
 * The functions whose arguments are copied before they are called, as far as they lie in memory that nobody may write,
 * and why. Included by arguments.c. They do the same to constant arrays of scripts where opcache has them in its memory:
 * for all processes, and for good.
 *
 * `functions`: one each, of a class or of none. `modules`: all functions and methods of an extension.
 *
 * ARRAYS: only arrays are touched. ALL: references to strings are counted too.
 */
static const struct writer functions[] = {
    /* counts references to the name; see handoff.c */
    {NULL, "opcache_compile_file", ALL},
    /* base and filter: their internal pointers are moved */
    {NULL, "ldap_search", ARRAYS},
    {NULL, "ldap_list", ARRAYS},
    {NULL, "ldap_read", ARRAYS},
    /* rows are converted to strings in place (PDO::pgsqlCopyFromArray() too, for which see arguments.c) */
    {"pdo\\pgsql", "copyfromarray", ARRAYS},
    /* puts results into the arrays in its array */
    {NULL, "ssh2_poll", ARRAYS},
    /* channels: the internal pointer is moved; phpredis from 6 on */
    {"redis", "ssubscribe", ARRAYS},
    {"rediscluster", "ssubscribe", ARRAYS},
#if PHP_VERSION_ID < 80400
    /* the numbers of SO_LINGER, SO_RCVTIMEO and SO_SNDTIMEO are converted in place */
    {NULL, "socket_set_option", ARRAYS},
    {NULL, "socket_setopt", ARRAYS},
    /* the names in allowed_classes are converted to strings in place */
    {NULL, "unserialize", ARRAYS},
    /* counts references to the callback */
    {"sqlite3", "setauthorizer", ALL},
#endif
};

static const struct writer modules[] = {
    /* counts references to nearly all that it keeps: options, query, headers, callbacks */
    {"http", NULL, ALL},
    /* moves the internal pointers of lists of documents */
    {"solr", NULL, ALL},
    /* moves the internal pointers of options */
    {"rrd", NULL, ALL},
};
