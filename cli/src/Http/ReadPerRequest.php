<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Server\Address;
use Larder\Cli\Study\Values;
use Larder\Cli\System\FileSystem;
use Larder\Cli\System\TemporaryDirectory;

/**
 * The reads of the study of 2008, one a request: behind nginx and PHP-FPM, and under Apache with its PHP module, as in
 * the study.
 */
final class ReadPerRequest extends PageSuite
{
    public const TABLE = '2008: one read a request, mean of one read';

    private const NGINX = 'nginx and PHP-FPM';
    private const APACHE = "Apache's module";

    private ?TemporaryDirectory $directory = null;

    public static function tables(): array
    {
        return [self::TABLE];
    }

    public function blocks(\Closure $notMeasured): array
    {
        $blocks = [];
        foreach ([self::NGINX, self::APACHE] as $server) {
            try {
                $site = $this->site(fn(): Site => $this->start($server));
            } catch (Unavailable $unavailable) {
                $notMeasured(
                    new Subject(self::TABLE, $server, null, null, null, 'get', settings: ['server' => $server]),
                    $unavailable->getMessage(),
                );
                continue;
            }
            foreach (self::pages($site) as [$extension, $store, $connection, $opening, $reading]) {
                if (!$this->only->has($store)) {
                    continue;
                }
                $block = $this->block(
                    $site,
                    $server,
                    $extension,
                    $store,
                    $connection,
                    $opening,
                    $reading,
                    $notMeasured,
                );
                if ($block !== null) {
                    $this->note(
                        $block,
                        \sprintf(
                            'mean of %d requests after %d',
                            ReadPerRequestBlock::COUNTED,
                            ReadPerRequestBlock::DISCARDED,
                        ),
                        $site->description(),
                    );
                    if ($connection === 'tcp') {
                        $this->note($block, 'connected before the clock starts');
                    }
                    $blocks[] = $block;
                }
            }
        }

        $this->locations->endWith(fn() => $this->directory?->remove()); // after the servers that use it have ended

        return $blocks;
    }

    private function start(string $server): Site
    {
        $values = self::values();
        if ($server === self::NGINX) {
            return Site::behindNginx($this->locations->disk('http-2008'), $values, 1);
        }
        $this->directory = new TemporaryDirectory(FileSystem::disk());
        chmod($this->directory->path, 0o755); // Apache's workers may run as another user

        return Site::underApache($this->directory->path, $values);
    }

    /** @return array<string, string> by key */
    private static function values(): array
    {
        $values = [];
        foreach (array_keys(Values::OF_2008) as $name) {
            $value = Values::all()[$name]->make(0);
            $values[self::key($name)] = \is_string($value) ? $value : throw new \LogicException(
                "$name is not serialized",
            );
        }

        return $values;
    }

    private static function key(string $name): string
    {
        return strtr($name, ' ', '-');
    }

    /**
     * @return list<array{string, string, ?string, string, string}> extension, store, connection; code that opens the
     *         store, and code that reads KEY
     */
    private static function pages(Site $site): array
    {
        $server = \sprintf("'%s', %%d", Address::HOST);
        $redis = \sprintf($server, $site->redis->port);
        $memcached = \sprintf($server, $site->memcached->port);

        return [
            ['larder', 'larder', null, '', "larder_fetch('KEY')"],
            ['apcu', 'apcu', null, '', "apcu_fetch('KEY')"],
            ['', 'file', 'disk', '', "file_get_contents('{$site->directory}/KEY.value')"],
            [
                'memcache',
                'memcache',
                'tcp',
                "\$store = new Memcache(); \$store->connect($memcached);",
                "\$store->get('memcache-KEY')",
            ],
            // The first call connects.
            [
                'memcached',
                'memcached',
                'tcp',
                "\$store = new Memcached(); \$store->addServer($memcached); \$store->get('none');",
                "\$store->get('KEY')",
            ],
            ['redis', 'redis', 'tcp', "\$store = new Redis(); \$store->connect($redis);", "\$store->get('KEY')"],
        ];
    }

    /** @param \Closure(Subject, string): void $notMeasured */
    private function block(
        Site $site,
        string $server,
        string $extension,
        string $store,
        ?string $connection,
        string $opening,
        string $reading,
        \Closure $notMeasured,
    ): ?ReadPerRequestBlock {
        $pages = [];
        foreach (self::values() as $key => $value) {
            $read = strtr($reading, ['KEY' => $key]);
            $name = strtr($key, '-', ' ');
            $subject = new Subject(self::TABLE, $store, $connection, $name, \strlen($value), 'get', settings: [
                'server' => $server,
            ]);
            $page = new Page($store, $connection, $extension, $name, '', <<<PHP
                $opening
                \$start = hrtime(true);
                \$value = $read;
                \$time = hrtime(true) - \$start;
                echo \$time, ' ', md5(\$value);
                PHP);

            try {
                self::add($page, $site);
                $pages[] = [$page, $subject, md5($value)];
            } catch (Unavailable $unavailable) {
                $notMeasured($subject, $unavailable->getMessage());
            }
        }

        return $pages === []
            ? null
            : new ReadPerRequestBlock(
                \sprintf(
                    '2008 one read a request, %s, %s',
                    $server,
                    implode(' ', array_filter([$store, $connection], is_string(...))),
                ),
                $site,
                $pages,
            );
    }
}
