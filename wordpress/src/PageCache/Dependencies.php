<?php

declare(strict_types=1);

namespace Larder\WordPress\PageCache;

\defined('ABSPATH') || exit;

/**
 * Notes what WordPress is asked for while it renders a page. Purge changes the version of what changes.
 *
 * | tag           | a page has it if                                | and it is purged when                           |
 * |---------------|-------------------------------------------------|-------------------------------------------------|
 * | all           | always                                          | plugins, options of the network change          |
 * | site          | it is of the blog, or looks into it             | theme, menus, widgets, options change; archived |
 * | post:ID       | it shows the post, its title, address or fields | the post, its fields, terms or comments change  |
 * | posts:TYPE    | it has a list of posts, or the one before       | any public post of the type changes             |
 * | term:ID       | it is the archive of the term                   | a post in it, or below it, changes              |
 * | author:ID     | it is the archive of the author                 | a post of the author changes                    |
 * | user:ID       | it shows a post of the author                   | the profile changes                             |
 * | users         | it lists users; then also posts:any             | any profile changes                             |
 * | terms:NAME    | it shows terms of the taxonomy                  | one of its terms is made or deleted, or changes |
 * | counts:NAME   | it lists the taxonomy                           | a term has more or fewer posts                  |
 * | comments:ID   | it shows the comments of the post               | one of them changes                             |
 * | comments      | it lists comments of all posts                  | any public comment changes                      |
 */
final class Dependencies
{
    /** @var array<string, true> */
    private static array $tags = [];

    public static function watch(): void
    {
        add_action('pre_get_posts', self::posts(...), \PHP_INT_MAX);
        add_action('the_post', self::post(...));
        add_action('pre_get_comments', self::comments(...), \PHP_INT_MAX);
        add_action('pre_get_terms', self::terms(...), \PHP_INT_MAX);
        add_action('pre_get_users', static fn(): null => self::add('users', 'posts:any')); // some list those with posts
        foreach (['wp', 'switch_blog'] as $hook) {
            add_action($hook, static fn(): null => self::add('site'));
        }
        self::pass('get_post_metadata', static fn(mixed $value, mixed $id): null => self::byId('post', $id));
        self::pass('the_title', static fn(mixed $title, mixed $id = 0): null => self::byId('post', $id));
        foreach (['post_link', 'page_link', 'post_type_link', 'attachment_link'] as $filter) {
            self::pass($filter, static fn(mixed $link, mixed $post): null
                => self::byId('post', $post instanceof \WP_Post ? $post->ID : $post));
        }
        self::pass('get_the_terms', static fn(mixed $terms, mixed $post, mixed $taxonomy): null
            => self::byId('terms', $taxonomy));
        // These ask the database without a WP_Query.
        foreach (['get_previous_post_where', 'get_next_post_where'] as $filter) {
            self::pass($filter, static function (mixed $where, mixed ...$more): void {
                self::byId('posts', ($more[3] ?? null) instanceof \WP_Post ? $more[3]->post_type : 'any');
            });
        }
        self::pass('getarchives_where', static fn(mixed $where, mixed $args = []): null
            => self::byId('posts', \is_array($args) ? $args['post_type'] ?? 'post' : 'post'));
        self::pass('get_calendar', static fn(): null => self::add('posts:post'));
        self::pass('get_pages', static fn(mixed $pages, mixed $args = []): null
            => self::byId('posts', \is_array($args) ? $args['post_type'] ?? 'page' : 'page'));
        self::pass('wp_count_posts', static fn(mixed $counts, mixed $type): null => self::byId('posts', $type));
        self::pass('wp_count_comments', static fn(): null => self::add('comments'));
    }

    /** After the main query. */
    public static function ofMainQuery(): void
    {
        /** @var \WP_Query $wp_query */
        global $wp_query;
        $object = get_queried_object();
        if ($object instanceof \WP_Term) {
            self::add("term:$object->term_taxonomy_id", "terms:$object->taxonomy");
        } elseif ($object instanceof \WP_User) {
            self::add("author:$object->ID", "user:$object->ID");
        } elseif ($object instanceof \WP_Post && is_singular()) {
            self::post($object);
        } else {
            self::posts($wp_query, true);
        }
        if (get_query_var('sitemap') !== '') {
            self::add('users', 'posts:any');
        }
        if ($wp_query->is_comment_feed()) { // asks the database without a WP_Comment_Query
            self::add(is_singular() ? 'comments:' . get_queried_object_id() : 'comments');
        }
        foreach ($wp_query->posts ?? [] as $post) {
            $post instanceof \WP_Post ? self::post($post) : self::byId('post', $post);
        }
    }

    /** @return list<string> of Purge::named() */
    public static function tags(): array
    {
        return ['all', ...array_map(strval(...), array_keys(self::$tags))];
    }

    private static function posts(\WP_Query $query, bool $isMain = false): void
    {
        if (!$isMain && $query->is_main_query()) {
            return; // ofMainQuery()
        }
        $ids = array_map($query->get(...), ['p', 'page_id', 'attachment_id']);
        $ids = array_filter($ids, static fn(mixed $id): bool => is_numeric($id) && (int) $id > 0);
        $among = $query->get('post__in');
        $ids = $ids === [] && \is_array($among) ? $among : $ids;
        if (!$isMain && $ids !== []) {
            foreach ($ids as $id) {
                self::byId('post', $id);
            }

            return;
        }
        $types = $query->get('post_type');
        $isOfTerms = $query->is_category() || $query->is_tag() || $query->is_tax();
        foreach (\is_array($types) ? $types : [$types === '' ? ($isOfTerms ? 'any' : 'post') : $types] as $type) {
            self::byId('posts', $type);
        }
    }

    private static function post(\WP_Post $post): void
    {
        self::add("post:$post->ID", "user:$post->post_author");
    }

    private static function comments(\WP_Comment_Query $query): void
    {
        $post = $query->query_vars['post_id'] ?? 0;
        is_numeric($post) && (int) $post > 0 ? self::byId('comments', (int) $post) : self::add('comments');
    }

    private static function terms(\WP_Term_Query $query): void
    {
        $taxonomies = $query->query_vars['taxonomy'] ?? [];
        $isOfPosts = ($query->query_vars['object_ids'] ?? []) !== [];
        foreach (\is_array($taxonomies) && $taxonomies !== [] ? $taxonomies : ['any'] as $taxonomy) {
            self::byId('terms', $taxonomy);
            if (!$isOfPosts) {
                self::byId('counts', $taxonomy);
            }
        }
    }

    private static function byId(string $kind, mixed $id): null
    {
        return (\is_string($id) || \is_int($id)) && $id !== '' && $id !== 0 ? self::add("$kind:$id") : null;
    }

    private static function add(string ...$tags): null
    {
        self::$tags += array_fill_keys(Purge::named(...$tags), true);

        return null;
    }

    /** Notes what a filter sees, and changes nothing. */
    private static function pass(string $filter, \Closure $note): void
    {
        add_filter($filter, static function (mixed $value, mixed ...$more) use ($note): mixed {
            $note($value, ...$more);

            return $value;
        }, \PHP_INT_MAX, 5);
    }
}
