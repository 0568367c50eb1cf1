<?php

declare(strict_types=1);

/*
 * php sites.php WP-LOAD SECONDS    switches between the sites of a network, and reads and changes what each has. All
 *                                  has the number of its site in it. Prints what belonged to another one, as JSON.
 */

$_SERVER['HTTP_HOST'] = 'localhost';
$_SERVER['REQUEST_METHOD'] = 'GET';
require $argv[1];

global $wpdb;
wp_using_ext_object_cache() || exit('The drop-in is not used here.');
mt_srand(getmypid());
$sites = get_sites(['fields' => 'ids']);
$posts = [];
foreach ($sites as $site) {
    switch_to_blog($site);
    $posts[$site] = get_posts(['fields' => 'ids', 'numberposts' => 5, 'order' => 'ASC', 's' => 'Jar']);
    restore_current_blog();
}
$read = [
    'option' => static fn(): string => (string) get_option('colour', ''),
    'option not loaded' => static fn(): string => (string) get_option('shape', ''),
    'transient' => static fn(): string => (string) get_transient('weather'),
    'value' => static fn(): string => (string) wp_cache_get('k', 'lab'),
    'list of posts' => static fn(): string => get_posts(['numberposts' => 1, 's' => 'Jar'])[0]->post_title,
    'tag' => static fn(): string => get_tags(['number' => 1, 'hide_empty' => false])[0]->name,
];
$write = [
    static fn(int $site): bool => update_option('colour', random_int(0, 99) . " of site $site"),
    static fn(int $site): bool => update_option('shape', random_int(0, 99) . " of site $site", false),
    static fn(int $site): bool => set_transient('weather', random_int(0, 99) . " of site $site", 60),
    static fn(int $site): bool => wp_cache_set('k', random_int(0, 99) . " of site $site", 'lab'),
    static fn(int $site): int => wp_update_post([
        'ID' => $posts[$site][0], 'post_title' => 'Jar ' . random_int(0, 99) . " of site $site",
    ]),
    static fn(): bool => update_site_option('motto', 'of the network'),
    static fn(): bool => update_user_meta(1, 'mood', 'of the network') !== false,
];
$reads = 0;
$wrong = [];
for ($end = microtime(true) + (float) $argv[2]; microtime(true) < $end;) {
    wp_cache_flush_runtime(); // a new request
    for ($i = 0; $i < 10; ++$i) {
        $site = $sites[array_rand($sites)];
        switch_to_blog($site);
        if (random_int(0, 3) === 0) {
            $write[array_rand($write)]($site);
        }
        $found = ['post' => get_post($posts[$site][random_int(0, 4)])->post_title];
        foreach (array_rand($read, 3) as $name) {
            $found[$name] = $read[$name]();
        }
        foreach ($found as $name => $text) {
            ++$reads;
            if ($text !== '' && !str_ends_with($text, " of site $site")) {
                $wrong[] = "$name of site $site: $text";
            }
        }
        if (get_site_option('motto', 'of the network') !== 'of the network') {
            $wrong[] = 'option of the network';
        }
        restore_current_blog();
    }
}
echo json_encode(['reads' => $reads, 'wrong' => $wrong]);
