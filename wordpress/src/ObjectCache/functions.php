<?php

/*
 * The functions that WordPress expects of an object cache: what core documents in wp-includes/cache.php, up to 7.1.
 * Plugins pass them anything.
 */

declare(strict_types=1);

use Larder\WordPress\ObjectCache\ObjectCache;

defined('ABSPATH') || exit;

function wp_cache_init(): void
{
    $GLOBALS['wp_object_cache'] = ObjectCache::start();
}

function wp_cache_get(mixed $key, mixed $group = '', mixed $force = false, mixed &$found = null): mixed
{
    /** @var ObjectCache $wp_object_cache */
    global $wp_object_cache;
    // Nearly all of the thousands of calls of a page end here.
    if ($force === false && \is_string($group) && (\is_string($key) || \is_int($key))) {
        $value = $wp_object_cache->values[$group][$key] ?? null;
        if ($value !== null) {
            $found = true;
            ++$wp_object_cache->cache_hits;

            return \is_object($value) ? clone $value : $value;
        }
    }

    return $wp_object_cache->get($key, $group, $force, $found);
}

/**
 * @param iterable<mixed> $keys
 * @return array<array-key, mixed>
 */
function wp_cache_get_multiple(iterable $keys, mixed $group = '', mixed $force = false): array
{
    return ObjectCache::current()->get_multiple($keys, $group, $force);
}

function wp_cache_add(mixed $key, mixed $data, mixed $group = '', mixed $expire = 0): bool
{
    return ObjectCache::current()->add($key, $data, $group, $expire);
}

/**
 * @param array<mixed> $data
 * @return array<array-key, bool>
 */
function wp_cache_add_multiple(array $data, mixed $group = '', mixed $expire = 0): array
{
    return ObjectCache::current()->add_multiple($data, $group, $expire);
}

function wp_cache_replace(mixed $key, mixed $data, mixed $group = '', mixed $expire = 0): bool
{
    return ObjectCache::current()->replace($key, $data, $group, $expire);
}

function wp_cache_set(mixed $key, mixed $data, mixed $group = '', mixed $expire = 0): bool
{
    return ObjectCache::current()->set($key, $data, $group, $expire);
}

/**
 * @param array<mixed> $data
 * @return array<array-key, bool>
 */
function wp_cache_set_multiple(array $data, mixed $group = '', mixed $expire = 0): array
{
    return ObjectCache::current()->set_multiple($data, $group, $expire);
}

function wp_cache_delete(mixed $key, mixed $group = ''): bool
{
    return ObjectCache::current()->delete($key, $group);
}

/**
 * @param array<mixed> $keys
 * @return array<array-key, bool>
 */
function wp_cache_delete_multiple(array $keys, mixed $group = ''): array
{
    return ObjectCache::current()->delete_multiple($keys, $group);
}

function wp_cache_incr(mixed $key, mixed $offset = 1, mixed $group = ''): int|float|false
{
    return ObjectCache::current()->incr($key, $offset, $group);
}

function wp_cache_decr(mixed $key, mixed $offset = 1, mixed $group = ''): int|float|false
{
    return ObjectCache::current()->decr($key, $offset, $group);
}

function wp_cache_flush(): bool
{
    return ObjectCache::current()->flush();
}

function wp_cache_flush_runtime(): bool
{
    return ObjectCache::current()->flush_runtime();
}

function wp_cache_flush_group(mixed $group): bool
{
    return ObjectCache::current()->flush_group($group);
}

function wp_cache_supports(mixed $feature): bool
{
    return \in_array($feature, [
        'add_multiple', 'set_multiple', 'get_multiple', 'delete_multiple', 'flush_runtime', 'flush_group',
    ], true);
}

function wp_cache_close(): bool
{
    return ObjectCache::current()->close();
}

function wp_cache_add_global_groups(mixed $groups): void
{
    ObjectCache::current()->add_global_groups($groups);
}

function wp_cache_add_non_persistent_groups(mixed $groups): void
{
    ObjectCache::current()->add_non_persistent_groups($groups);
}

function wp_cache_switch_to_blog(mixed $blog_id): void
{
    ObjectCache::current()->switch_to_blog($blog_id);
}

function wp_cache_reset(): void
{
    _deprecated_function(__FUNCTION__, '3.5.0', 'wp_cache_switch_to_blog()');
    ObjectCache::current()->reset();
}

function wp_cache_get_salted(mixed $cache_key, mixed $group, mixed $salt): mixed
{
    return ObjectCache::unsalted(ObjectCache::current()->get($cache_key, $group), $salt);
}

function wp_cache_set_salted(mixed $cache_key, mixed $data, mixed $group, mixed $salt, mixed $expire = 0): bool
{
    return ObjectCache::current()->set($cache_key, ObjectCache::salted($data, $salt), $group, $expire);
}

/**
 * @param iterable<mixed> $cache_keys
 * @return array<array-key, mixed>
 */
function wp_cache_get_multiple_salted(iterable $cache_keys, mixed $group, mixed $salt): array
{
    return array_map(
        static fn(mixed $value): mixed => ObjectCache::unsalted($value, $salt),
        ObjectCache::current()->get_multiple($cache_keys, $group),
    );
}

/**
 * @param array<mixed> $data
 * @return array<array-key, bool>
 */
function wp_cache_set_multiple_salted(array $data, mixed $group, mixed $salt, mixed $expire = 0): array
{
    $salted = array_map(static fn(mixed $value): array => ObjectCache::salted($value, $salt), $data);

    return ObjectCache::current()->set_multiple($salted, $group, $expire);
}
