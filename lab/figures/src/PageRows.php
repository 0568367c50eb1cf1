<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Timing\Statistics;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/**
 * Pages of other projects' software, which lab/software unpacks. Two PHP-FPMs with one worker each serve them: one with
 * APCu, the other with Larder and its module apcu. Requests alternate, so a slow phase of the machine affects both.
 */
final class PageRows
{
    /** Requests to each side for one pair. */
    private const REQUESTS = 5;

    /** Requests before a page is measured. */
    private const WARM_UP = 20;

    private const ROOT = __DIR__ . '/../../..';

    /** @return non-empty-list<Row> */
    public static function all(): array
    {
        $symfony = static fn(int $rounds): array => self::lists($rounds, 'symfony/public/index.php');
        $little = 'MediaWiki page, which spends little time in its cache';

        return [
            new Row('symfony', 'Symfony page with 60 cache reads', 'APCu', null, [], $symfony),
            new Row('laravel', 'Laravel page with 60 cache reads', 'APCu', null, [], self::laravel(...)),
            new Row('wordpress', 'WordPress front page, whole page cached', 'no cache', null, [], self::wordPress(...)),
            new Row('mediawiki', $little, 'APCu', null, [], self::mediaWiki(...)),
        ];
    }

    /**
     * Expects a page that reports 0 lists that were not cached, as it does once it is warm.
     *
     * @param array<string, string> $environment
     * @return non-empty-list<array{float, float}>
     */
    private static function lists(
        int $rounds,
        string $script,
        array $environment = [],
        TemporaryDirectory $data = new TemporaryDirectory('/dev/shm'),
    ): array {
        $page = ['REQUEST_URI' => '/lists', 'SCRIPT_NAME' => '/index.php', 'SHOP_DATA' => $data->path] + $environment;

        return self::measure($rounds, self::ROOT . "/lab/apcu/$script", '<p>made now: 0</p>', $page, $page);
    }

    /** @return non-empty-list<array{float, float}> */
    private static function laravel(int $rounds): array
    {
        $data = new TemporaryDirectory('/dev/shm');
        (new Filesystem())->mkdir("$data->path/framework/views");
        $environment = [
            'APP_KEY' => 'base64:' . base64_encode(random_bytes(32)),
            'SESSION_DRIVER' => 'array',
            'LOG_CHANNEL' => 'errorlog',
        ];
        foreach (['CONFIG', 'EVENTS', 'PACKAGES', 'ROUTES', 'SERVICES'] as $kind) {
            $environment["APP_{$kind}_CACHE"] = "$data->path/$kind.php";
        }
        foreach (['config:cache', 'route:cache'] as $command) {
            $artisan = [\PHP_BINARY, self::ROOT . '/lab/apcu/laravel/index.php', $command];
            (new Process($artisan, env: ['SHOP_DATA' => $data->path] + $environment))->mustRun();
        }

        return self::lists($rounds, 'laravel/index.php', $environment, $data);
    }

    /** @return non-empty-list<array{float, float}> */
    private static function wordPress(int $rounds): array
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $server = MariaDbServer::start($folder->add('mariadb'));
        try {
            $content = $folder->add('content');
            $site = realpath(self::ROOT . '/var/wordpress/root/usr/share/wordpress');
            (new Filesystem())->symlink("$site/wp-content/themes", "$content/themes");
            $plugin = self::ROOT . '/wordpress';
            (new Filesystem())->symlink((string) realpath($plugin), "$content/plugins/larder");
            (new Filesystem())->copy("$plugin/advanced-cache.php", "$content/advanced-cache.php");
            // without its hooks, nothing is stored
            (new Filesystem())->dumpFile("$content/mu-plugins/larder.php", <<<'PHP'
                <?php
                require_once WP_PLUGIN_DIR . '/larder/src/PageCache/Purge.php';
                Larder\WordPress\PageCache\Purge::register();
                PHP);
            $environment = [
                'DB_NAME' => MariaDbServer::DATABASE, 'DB_USER' => MariaDbServer::USER,
                'DB_PASSWORD' => $server->password, 'DB_HOST' => "localhost:$server->socket",
                'WP_CONTENT_DIR' => $content, 'HTTP_HOST' => 'localhost', 'REQUEST_URI' => '/',
            ];
            $cached = ['WP_CACHE' => '1'] + $environment;
            (new Process([\PHP_BINARY, self::ROOT . '/lab/apcu/wordpress.php'], env: $environment))->mustRun();

            return self::measure($rounds, "$site/index.php", 'Jar 10</a>', $cached, $environment);
        } finally {
            $server->stop();
        }
    }

    /** @return non-empty-list<array{float, float}> */
    private static function mediaWiki(int $rounds): array
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $sides = [];
        foreach (['ours', 'theirs'] as $side) {
            (new Filesystem())->mirror(self::ROOT . '/var/mediawiki/data', $folder->add($side));
            $sides[] = [
                'WIKI_SERVER' => 'http://localhost', 'WIKI_DATA' => "$folder->path/$side",
                'QUERY_STRING' => 'title=Main_Page', 'REQUEST_URI' => '/index.php?title=Main_Page',
            ];
        }
        $script = self::ROOT . '/var/mediawiki/root/usr/share/mediawiki/index.php';

        return self::measure($rounds, $script, 'MediaWiki has been installed', ...$sides);
    }

    /**
     * @param string $expected text that every answer must contain
     * @param array<string, string> $ours FastCGI parameters, which PHP's getenv() finds too
     * @param array<string, string> $theirs
     * @return non-empty-list<array{float, float}>
     */
    private static function measure(int $rounds, string $script, string $expected, array $ours, array $theirs): array
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $engine = getenv(Php::ENGINE_VARIABLE);
        $module = (string) realpath(self::ROOT . '/var/apcu/modules/apcu.so');
        $scanned = Php::without('apcu', $folder->add('ini'))->environment();
        CpuAffinity::pin(); // on one core, because cores of a shared machine may differ in speed
        $assign = static fn(string $name, string $value): string => "$name=$value";
        $assigned = array_map($assign, array_keys($scanned), $scanned);
        $sides = [[[...($engine === false ? [] : [$engine]), $module], $ours], [['apcu'], $theirs]];
        $opcache = [
            'opcache.enable' => 1, 'opcache.validate_timestamps' => 0, 'opcache.max_accelerated_files' => 20_000,
        ];
        $servers = [];
        $samples = [];
        try {
            foreach ($sides as $side => [$extensions, $parameters]) {
                $servers[] = $server = PhpFpmServer::start(
                    $folder->add("fpm$side"),
                    [...$opcache, ...Engine::settings(), 'larder.path' => $folder->add("engine$side")],
                    $extensions,
                    through: ['env', ...$assigned],
                );
                $connection = $server->connect();
                $parameters += PhpFpmServer::parameters((string) realpath($script));
                for ($i = 0; $i < self::WARM_UP; ++$i) {
                    $connection->request($parameters);
                }
                $ask = static function () use ($connection, $parameters, $expected): int {
                    $start = hrtime(true);
                    $answer = $connection->request($parameters);
                    $end = hrtime(true);
                    if ($answer->status !== 200 || !str_contains($answer->body, $expected)) {
                        $said = substr($answer->body . $answer->errors, 0, 2000);

                        throw new \RuntimeException("the page said $answer->status: $said");
                    }

                    return $end - $start;
                };
                $samples[] = static fn(): float => Statistics::median(array_map($ask, range(1, self::REQUESTS)));
            }

            return Pair::interleave($samples[0], $samples[1], $rounds);
        } finally {
            foreach ($servers as $server) {
                $server->stop();
            }
        }
    }
}
