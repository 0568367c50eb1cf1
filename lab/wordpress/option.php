<?php

declare(strict_types=1);

// php option.php WP-LOAD get NAME | set NAME VALUE | die NAME VALUE | row NAME VALUE
// Prints whether it has the cache, when it began, and the value. die: is killed right after the statement. row: writes
// the row without WordPress's functions, so nobody can notice.

$_SERVER['HTTP_HOST'] = 'localhost';
$_SERVER['REQUEST_METHOD'] = 'GET';
[, $load, $what, $name] = $argv;
$began = microtime(true);
require $load;
if ($what === 'die') {
    add_action("update_option_$name", static fn() => posix_kill(getmypid(), SIGKILL));
}
if ($what === 'row') {
    $sql = "UPDATE wp_options SET option_value = '$argv[4]' WHERE option_name = '$name'";
    mysqli_query($GLOBALS['wpdb']->__get('dbh'), $sql) || exit(1);
} elseif ($what !== 'get') {
    update_option($name, $argv[4]);
}
$cache = wp_using_ext_object_cache() === true ? 'shared' : 'alone';
echo "$cache $began ", get_option($name);
