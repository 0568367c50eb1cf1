<?php

declare(strict_types=1);

namespace Larder\WordPress\PageCache;

\defined('ABSPATH') || exit;

/**
 * Makes stored pages invalid when what they show changes: by what they depend on (Dependencies), at once, and once more
 * at the end of the process, because some hooks run before a change is complete. Also in cron and the shell, where the
 * engine is the same if the user is. From another user's shell, or one without the engine, a mark in the database makes
 * all pages of the blog invalid with its next request that WordPress answers itself; so within PageCache::TTL.
 */
final class Purge
{
    /** The option that is such a mark. */
    public const MARK = 'larder_purge';

    /** Types of posts that are part of the design. */
    private const DESIGN = [
        'custom_css', 'nav_menu_item', 'wp_block', 'wp_global_styles', 'wp_navigation', 'wp_template',
        'wp_template_part',
    ];

    /** Options of WordPress that pages show, whoever changes them. */
    private const SHOWN = '~^(?:blog(?:name|description|_public|_charset)|home|siteurl|WPLANG|template|stylesheet'
        . '|permalink_structure|(?:category|tag)_base|posts_per_(?:page|rss)|rss_use_excerpt|show_on_front'
        . '|page_(?:on_front|for_posts|comments)|(?:date|time)_format|timezone_string|gmt_offset|start_of_week'
        . '|sticky_posts|site_(?:icon|logo)|thread_comments(?:_depth)?|comments?_(?:order|per_page|registration)'
        . '|default_comments_page|close_comments_\w+|show_avatars|avatar_\w+|default_avatar|require_name_email'
        . '|show_comments_cookies_opt_in|users_can_register|use_smilies|(?:thumbnail|medium|large)_\w+'
        . '|link_manager_enabled|wp_page_for_privacy_policy|sidebars_widgets|widget_.+|theme_mods_.+|nav_menu_options'
        . '|active_plugins|site_name|active_sitewide_plugins)$~D';

    /** Options that plugins and WordPress write for themselves. */
    private const HIDDEN = '~^(?:_?(?:site_)?_?transient_.+|cron|doing_cron|rewrite_rules|recently_(?:activated|edited)'
        . '|.*_lock|.*\.lock|auto_\w+|recovery_\w+|db_upgraded|action_scheduler_.+|_?larder_.+|(?:user|blog)_count'
        . '|can_compress_scripts|fresh_site|uninstall_plugins|dashboard_widget_options'
        . '|.*_(?:counter|stats|log|queue))$~D';

    /** Fields of posts that count what visitors do. Else any of them could empty the cache by looking at pages. */
    private const COUNTED = '~(?:^|[_-])(?:views?|hits|visits?)(?:_?count(?:s|er)?)?(?:[_-]|$)~i';

    private static bool $isRegistered = false;

    /** @var array<string, true> tags of this process, as in keys() */
    private static array $purged = [];

    /** @var array<int, true> blogs that have a mark of this process */
    private static array $marked = [];

    /** Adds the hooks of what changes pages. The plugin calls it in each process, also without the engine. */
    public static function register(): void
    {
        if (self::$isRegistered) {
            return;
        }
        self::$isRegistered = true;
        require_once __DIR__ . '/PageCache.php';
        add_action('init', self::readMark(...), 0, 0);
        add_action('shutdown', self::again(...), \PHP_INT_MAX, 0);

        add_action('clean_post_cache', static fn(int $id, mixed $post = null)
            => self::post($post ?? get_post($id)), 10, 2);
        add_action('transition_post_status', static function (string $new, string $old, \WP_Post $post): void {
            if (self::isPublic($new) || self::isPublic($old)) {
                self::post($post, true);
            }
        }, 10, 3);
        add_action('post_updated', static function (mixed $id, mixed $after, mixed $before): void {
            self::post($before); // what it was: other author, other type, other status
            self::post($after);
        }, 10, 3);
        foreach (['added_term_relationship', 'deleted_term_relationships'] as $hook) {
            add_action($hook, static fn(mixed $id, mixed $terms) => self::moved($id, $terms), 10, 2);
        }
        foreach (['added', 'updated', 'deleted'] as $done) {
            foreach (['post', 'term', 'comment'] as $type) {
                add_action("{$done}_{$type}_meta", static fn(mixed $meta, mixed $id, mixed $key)
                    => self::field($type, $id, $key), 10, 3);
            }
        }

        foreach (['created_term', 'edited_term', 'delete_term'] as $hook) {
            add_action($hook, static fn(int $term, int $id, string $taxonomy) => self::shown($id, $taxonomy), 10, 3);
        }
        add_action('edited_term_taxonomy', static fn(mixed $id, string $taxonomy)
            => self::tags("counts:$taxonomy", 'counts:any'), 10, 2);

        add_action('wp_insert_comment', static fn(mixed $id, mixed $comment) => self::comment($comment), 10, 2);
        add_action('edit_comment', static fn(int|string $id) => self::comment(get_comment($id)));
        add_action('deleted_comment', static fn(mixed $id, mixed $comment) => self::comment($comment), 10, 2);
        add_action('transition_comment_status', static function (mixed $new, mixed $old, mixed $comment): void {
            if ($new === 'approved' || $old === 'approved') {
                self::comment($comment, true);
            }
        }, 10, 3);

        $isOfUsers = ['profile_update', 'user_register', 'deleted_user', 'add_user_to_blog', 'remove_user_from_blog'];
        foreach ($isOfUsers as $hook) {
            add_action($hook, static fn(int|string $id) => self::tags("user:$id", 'users'));
        }

        foreach (['added_option', 'updated_option', 'deleted_option'] as $hook) {
            add_action($hook, static fn(string $name) => self::option($name));
        }
        foreach (['add_site_option', 'update_site_option', 'delete_site_option'] as $hook) {
            add_action($hook, static fn(string $name) => self::option($name, true)); // those of the network
        }
        // A blog that is archived, spam or deleted is closed, and a stored page would not ask.
        add_action('wp_update_site', static function (\WP_Site $new, \WP_Site $old): void {
            $date = ['last_updated' => true]; // each post changes it
            if (array_diff_key($new->to_array(), $date) !== array_diff_key($old->to_array(), $date)) {
                self::purge(["$new->blog_id:site"]);
            }
        }, 10, 2);
        add_action('wp_delete_site', static fn(\WP_Site $old) => self::purge(["$old->blog_id:site"]));
        foreach (['switch_theme', 'customize_save_after', 'wp_update_nav_menu', 'wp_delete_nav_menu'] as $hook) {
            add_action($hook, static fn() => self::purgeAll());
        }
        foreach (['activated_plugin', 'deactivated_plugin', 'upgrader_process_complete'] as $hook) {
            add_action($hook, static fn() => self::purgeAll(true));
        }
    }

    public static function isRegistered(): bool
    {
        return self::$isRegistered;
    }

    /**
     * Makes all pages of the site invalid.
     *
     * @param bool $network true: of all sites of the network
     */
    public static function purgeAll(bool $network = false): void
    {
        require_once __DIR__ . '/PageCache.php';
        self::purge($network ? ['all'] : [get_current_blog_id() . ':site']);
    }

    /** A number that every purge changes. */
    public static function generation(): ?int
    {
        $name = PageCache::prefix() . 'generation';
        larder_add($name, random_int(1, \PHP_INT_MAX >> 8), 0);
        $generation = larder_fetch($name);

        return \is_int($generation) ? $generation : null;
    }

    /**
     * Tags of the present blog, with its number: "1:post:7". Those of users have none, as a network shares its users.
     *
     * @return list<string>
     */
    public static function named(string ...$tags): array
    {
        $blog = get_current_blog_id();

        return array_map(static fn(string $tag): string
            => str_starts_with($tag, 'user') ? $tag : "$blog:$tag", array_values($tags));
    }

    /**
     * @param list<string> $tags of named(), or "all"
     * @return list<string>
     */
    public static function keys(array $tags): array
    {
        $prefix = PageCache::prefix() . 'tag:';

        return array_map(static fn(string $tag): string => $prefix . $tag, $tags);
    }

    /**
     * @param list<string> $keys
     * @return array<string, int>|null null if there is no room for them
     */
    public static function versions(array $keys): ?array
    {
        $found = larder_fetch_multiple($keys);
        $missing = array_keys($found, null, true);
        if ($missing !== []) {
            $new = [];
            foreach ($missing as $key) {
                $new[$key] = random_int(1, \PHP_INT_MAX);
            }
            larder_add_multiple($new, 0);
            $found = larder_fetch_multiple($keys);
        }
        $versions = [];
        foreach ($found as $key => $version) {
            if (!\is_int($version)) {
                return null;
            }
            $versions[(string) $key] = $version;
        }

        return $versions;
    }

    /** @param bool $isKnown true: it is or was public */
    private static function post(mixed $post, bool $isKnown = false): void
    {
        if (!$post instanceof \WP_Post || $post->post_type === 'revision'
            || (!$isKnown && !self::isPublic($post->post_status))) {
            return;
        }
        if (\in_array($post->post_type, self::DESIGN, true)) {
            self::purgeAll();

            return;
        }
        $author = $post->post_author;
        self::tags("post:$post->ID", "posts:$post->post_type", 'posts:any', "author:$author");
        foreach (get_object_taxonomies($post->post_type) as $taxonomy) {
            $terms = get_the_terms($post->ID, $taxonomy);
            foreach (\is_array($terms) ? $terms : [] as $term) {
                self::term($term);
            }
        }
    }

    /** Its archive, and those above it. */
    private static function term(\WP_Term $term): void
    {
        self::tags("term:$term->term_taxonomy_id");
        foreach (get_ancestors($term->term_id, $term->taxonomy, 'taxonomy') as $id) {
            $above = get_term($id, $term->taxonomy);
            if ($above instanceof \WP_Term) {
                self::tags("term:$above->term_taxonomy_id");
            }
        }
    }

    private static function moved(mixed $post, mixed $terms): void
    {
        if (!is_numeric($post) || !self::isPublic((string) get_post_status((int) $post))) {
            return;
        }
        self::tags("post:$post");
        foreach ((array) $terms as $id) {
            $term = is_numeric($id) ? get_term_by('term_taxonomy_id', (int) $id) : null;
            if ($term instanceof \WP_Term) {
                self::term($term);
            }
        }
    }

    /** Not those by which WordPress notes who edits, nor counters, nor what the rendering of a page writes. */
    private static function field(string $type, mixed $id, mixed $key): void
    {
        if (!is_numeric($id) || !\is_string($key) || str_starts_with($key, '_edit_')
            || (preg_match(self::COUNTED, $key) === 1 && !self::isManaged())
            || (class_exists(Recording::class, false) && Recording::isActive())) {
            return;
        }
        $id = (int) $id;
        if ($type === 'post') {
            self::tags("post:$id");
        } elseif ($type === 'comment') {
            self::comment(get_comment($id));
        } else {
            $term = get_term($id);
            $term instanceof \WP_Term ? self::shown($term->term_taxonomy_id, $term->taxonomy) : null;
        }
    }

    /** A term, wherever it is shown. */
    private static function shown(int $id, string $taxonomy): void
    {
        self::tags("terms:$taxonomy", 'terms:any', "term:$id");
    }

    private static function comment(mixed $comment, bool $isKnown = false): void
    {
        if ($comment instanceof \WP_Comment && ($isKnown || $comment->comment_approved === '1')) {
            self::tags("comments:$comment->comment_post_ID", "post:$comment->comment_post_ID", 'comments');
        }
    }

    /** What an administrator sends may show, whatever plugin it belongs to. */
    private static function option(string $name, bool $network = false): void
    {
        if (preg_match(self::SHOWN, $name) === 1 || (preg_match(self::HIDDEN, $name) !== 1 && self::isManaged())) {
            self::purgeAll($network);
        }
    }

    private static function isManaged(): bool
    {
        return \defined('WP_CLI')
            || (!\in_array($_SERVER['REQUEST_METHOD'] ?? 'GET', ['GET', 'HEAD'], true)
                && ($_REQUEST['action'] ?? '') !== 'heartbeat'
                && \function_exists('wp_get_current_user') && current_user_can('manage_options'));
    }

    private static function isPublic(string $status): bool
    {
        return $status === 'inherit' || ($status !== '' && get_post_status_object($status)?->public === true);
    }

    private static function tags(string ...$tags): void
    {
        self::purge(self::named(...$tags));
    }

    /** @param list<string> $tags */
    private static function purge(array $tags): void
    {
        self::$purged += array_fill_keys($tags, true);
        self::delete($tags);
    }

    private static function again(): void
    {
        $tags = array_keys(self::$purged);
        self::$purged = self::$marked = [];
        self::delete($tags);
    }

    /** @param list<string> $tags */
    private static function delete(array $tags): void
    {
        if ($tags === []) {
            return;
        }
        if (self::hasPages()) {
            // first: a page that is being rendered must not be stored with new versions
            larder_increment(PageCache::prefix() . 'generation');
        } elseif (\defined('WP_CACHE') && \constant('WP_CACHE') === true) {
            self::mark($tags); // the engine of the web server is another, or has no page yet
        }
        // also if there was no room for the generation, but for pages
        if (\function_exists('larder_delete_multiple')) {
            larder_delete_multiple(self::keys($tags));
        }
    }

    private static function hasPages(): bool
    {
        return \function_exists('larder_exists') && larder_exists(PageCache::prefix() . 'generation');
    }

    /** @param list<string> $tags */
    private static function mark(array $tags): void
    {
        // A profile marks the present blog only: others show the old one until their pages are too old.
        $blogs = array_map(static fn(string $tag): int
            => str_starts_with($tag, 'user') ? get_current_blog_id() : (int) $tag, array_diff($tags, ['all']));
        if (\in_array('all', $tags, true)) {
            $blogs = is_multisite() ? get_sites(['fields' => 'ids', 'number' => 0]) : [get_current_blog_id()];
        }
        foreach ($blogs as $blog) {
            if (isset(self::$marked[$blog]) || (is_multisite() && get_site($blog) === null)) {
                continue; // or deleted
            }
            self::$marked[$blog] = true;
            $mark = bin2hex(random_bytes(8));
            is_multisite() ? update_blog_option($blog, self::MARK, $mark) : update_option(self::MARK, $mark, true);
        }
    }

    private static function readMark(): void
    {
        if (!\function_exists('larder_fetch') || \PHP_SAPI === 'cli') {
            return;
        }
        $mark = get_option(self::MARK, '');
        $name = PageCache::prefix() . 'mark:' . get_current_blog_id();
        if ($mark !== '' && larder_fetch($name) !== $mark) {
            $tags = [get_current_blog_id() . ':site'];
            // delete() would write the next mark
            self::hasPages() ? self::delete($tags) : larder_delete_multiple(self::keys($tags));
            larder_store($name, $mark, 0);
        }
    }
}
