<?php

declare(strict_types=1);

use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

// Runs the suite for one page cache, in a WordPress of its own: php lab/page-cache/prove.php CACHE [options of suite.php].
// Or measures ours, next to an advanced-cache.php that prints the same bytes: php lab/page-cache/prove.php measure.

require __DIR__ . '/../../vendor/autoload.php';

const ROOT = __DIR__ . '/../..';

$cache = $argv[1] ?? 'larder';
$files = new Filesystem();
$folder = new TemporaryDirectory('/dev/shm');
$key = bin2hex(random_bytes(16));
$content = $folder->add('content');
$site = (string) realpath(ROOT . '/var/wordpress/root/usr/share/wordpress');
$engine = extension_loaded('larder') ? [] : [(string) realpath(ROOT . '/extension/modules/larder.so')];

$files->symlink("$site/wp-content/themes", "$content/themes");
$files->copy(__DIR__ . '/stand-in.php', "$content/mu-plugins/stand-in.php");
$files->dumpFile("$content/plugins/suite-empty.php", "<?php\n/** Plugin Name: Empty */\n");
$plugin = null;
// what a site sends before WordPress, and what a module of the web server says of the visitor's address
$prepended = <<<'PHP'
    <?php
    header('X-Before: once');
    if (isset($_SERVER['HTTP_X_SUITE_COUNTRY'])) {
        $_SERVER['GEOIP_COUNTRY_CODE'] = $_SERVER['MM_COUNTRY_CODE'] = $_SERVER['HTTP_X_SUITE_COUNTRY'];
    }

    PHP;
switch ($cache) {
    case 'larder':
    case 'early':
    case 'measure':
        $files->symlink((string) realpath(ROOT . '/wordpress'), "$content/plugins/larder");
        $files->copy(ROOT . '/wordpress/advanced-cache.php', "$content/advanced-cache.php");
        $files->dumpFile("$content/mu-plugins/larder.php", <<<'PHP'
            <?php
            require_once WP_PLUGIN_DIR . '/larder/src/PageCache/Purge.php';
            Larder\WordPress\PageCache\Purge::register();
            PHP);
        break;
    case 'naive':
        $files->copy(__DIR__ . '/caches/naive.php', "$content/advanced-cache.php");
        break;
    case 'none':
        break;
    case 'surge':
        $files->mirror(ROOT . '/var/page-caches/surge', "$content/plugins/surge");
        $plugin = 'surge/surge.php';
        break;
    case 'cache-enabler':
        $files->mirror(ROOT . '/var/page-caches/cache-enabler', "$content/plugins/cache-enabler");
        $plugin = 'cache-enabler/cache-enabler.php';
        break;
    case 'wp-super-cache':
        $from = ROOT . '/var/page-caches/wp-super-cache';
        $files->mirror($from, "$content/plugins/wp-super-cache");
        $files->copy("$from/advanced-cache.php", "$content/advanced-cache.php");
        $settings = (string) file_get_contents("$from/wp-cache-config-sample.php");
        // it ends with a closing tag, and says nothing of the slash at the end of permalinks
        $settings = rtrim($settings, "?>\n");
        $settings = preg_replace('~^\$(cache_enabled|super_cache_enabled) *= *\w+;~m', '$$1 = true;', $settings);
        $files->dumpFile("$content/wp-cache-config.php", $settings . "\n\$wp_cache_not_logged_in = 2;\n\$wp_cache_slash_check = 1;\n");
        $prepended .= "define('WPCACHEHOME', '$content/plugins/wp-super-cache/');\n";
        $plugin = 'wp-super-cache/wp-cache.php';
        break;
    case 'batcache':
        $from = ROOT . '/var/page-caches/batcache';
        $files->copy("$from/advanced-cache.php", "$content/advanced-cache.php");
        $files->copy("$from/batcache.php", "$content/mu-plugins/batcache.php");
        // it stores into the object cache of the site
        $files->symlink((string) realpath(ROOT . '/wordpress'), "$content/plugins/larder");
        $files->copy(ROOT . '/wordpress/object-cache.php', "$content/object-cache.php");
        break;
    default:
        fwrite(STDERR, "lab/page-cache/prove.php: there is no cache '$cache'.\n");
        exit(2);
}
$files->dumpFile("$folder->path/prepended.php", $prepended);

$database = MariaDbServer::start($folder->add('mariadb'));
$environment = [
    'DB_NAME' => MariaDbServer::DATABASE, 'DB_USER' => MariaDbServer::USER, 'DB_PASSWORD' => $database->password,
    'DB_HOST' => "localhost:$database->socket", 'WP_CONTENT_DIR' => $content, 'SUITE_KEY' => $key, 'SITE_ROOT' => $site,
    'LARDER_EARLY' => $cache === 'early' ? '1' : '0',
    'WP_CACHE' => is_file("$content/advanced-cache.php") || $plugin !== null ? '1' : '0',
];
$assigned = array_map(static fn(string $name, string $value): string => "$name=$value", array_keys($environment), $environment);
$ini = [
    'larder.path' => $folder->add('engine'), 'larder.size' => '64M', 'session.save_path' => $folder->add('sessions'),
    'auto_prepend_file' => "$folder->path/prepended.php", 'opcache.enable' => 1, 'log_errors' => 1,
];
$fpm = $nginx = null;
try {
    $pool = new PhpFpmPool(workers: $cache === 'measure' ? 1 : 8);
    $fpm = PhpFpmServer::start($folder->add('fpm'), $ini, $engine, [$pool], ['nice', '-n', '19', 'env', ...$assigned]);
    $pages = 'index index.php; location / { try_files $uri $uri/ /index.php?$args; }';
    $nginx = NginxServer::start($folder->add('nginx'), $site, $fpm->socket, server: $pages);
    $url = "http://127.0.0.1:$nginx->port";
    $environment['SITE_URL'] = $url;
    (new Process([PHP_BINARY, __DIR__ . '/install.php'], env: ['WP_CACHE' => '0'] + $environment))->mustRun();
    $php = [PHP_BINARY, ...array_map(static fn(string $path): string => "-dextension=$path", $engine), "-dlarder.path={$ini['larder.path']}"];
    $shell = implode(' ', array_map(escapeshellarg(...), [...$php, __DIR__ . '/shell.php']));
    if ($plugin !== null) {
        $activate = new Process([...$php, __DIR__ . '/shell.php'], env: $environment, input: (string) json_encode(['activate_plugin', [$plugin]]));
        $activate->mustRun();
    }
    if ($cache === 'measure') {
        require __DIR__ . '/measure.php';
        $echo = $folder->add('echo');
        $files->symlink("$site/wp-content/themes", "$echo/themes");
        $code = measure($fpm, "$site/index.php", $url, $content, $echo);
        exit($code);
    }
    $suite = new Process(
        [PHP_BINARY, __DIR__ . '/suite.php', '--url', $url, '--shell', $shell, ...array_slice($argv, 2)],
        env: $environment,
        timeout: null,
    );
    $suite->run(static fn(string $kind, string $said) => print($said));
    if (getenv('KEEP_LOG') !== false) {
        copy($fpm->log, (string) getenv('KEEP_LOG'));
    }
    $code = (int) $suite->getExitCode();
} finally {
    $nginx?->stop();
    $fpm?->stop();
    $database->stop();
}
exit($code);
