<?php

declare(strict_types=1);

namespace Larder\Tests\Process;

use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Internal\Process\Functions;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Hosts disable functions of PHP (disable_functions). A cache works without them, or is refused when it is opened. */
final class DisabledFunctionsTest extends TestCase
{
    private const SOURCE = __DIR__ . '/../../src';

    /** Functions without which nothing is refused, and every store works. Hosts may well disable them. */
    private const DISPENSABLE = [
        'debug_backtrace', 'error_log', 'escapeshellarg', 'get_current_user', 'getenv', 'gethostname', 'getmypid',
        'ini_set', 'larder_pid',
        'opcache_get_status', 'opcache_invalidate', 'opcache_is_script_cached', 'php_uname', 'posix_geteuid',
        'posix_getpid', 'posix_getpwuid',
        'readlink', 'register_shutdown_function', 'session_create_id', 'session_id', 'session_status',
        'session_write_close', 'tmpfile', 'usleep',
    ];

    /** @var array<string, Process> by the missing functions */
    private array $running = [];

    protected function tearDown(): void
    {
        foreach ($this->running as $process) {
            $process->stop(0);
        }
    }

    /**
     * FPM pools share opcache, even if a host disables the function for one of them. So the children share compiled
     * code.
     */
    #[RequiresPhpExtension('larder')]
    public function testNoCallOfADisabledFunctionIsMade(): void
    {
        $folder = self::scenario();
        $complete = $this->said($folder, [''])[''];
        self::assertStringNotContainsString('undefined', $complete);
        foreach ([
            'array', 'file', 'php-file', 'sqlite', 'auto', 'larder', 'apcu', 'shmop', 'tier', 'link', 'redis', 'predis',
            'memcached', 'memcache', 'compressed',
        ] as $name) {
            self::assertStringContainsString("\n$name: works\n", "\n$complete");
        }
        $wrong = [];
        foreach ($this->said($folder, self::disabled()) as $disabled => $said) {
            $names = str_replace(',', '|', $disabled);
            foreach (explode("\n", trim($said)) as $i => $line) {
                $before = explode("\n", $complete)[$i] ?? '';
                [$name] = explode(':', $before);
                $isRefused = preg_match("~^$name: .*PHP has no function ($names)\\(\\) here~", $line) === 1;
                $mayBe = !\in_array($disabled, self::DISPENSABLE, true) || "$disabled $name" === 'readlink link';
                if ($line !== $before && !($isRefused && $mayBe)) {
                    $wrong[] = "without $disabled: $line (with it: $before)";
                }
            }
        }
        self::assertSame([], $wrong);
    }

    /** @return list<string> functions to disable in each child: one, or several that are all called in the same way */
    private static function disabled(): array
    {
        // without this function, no class is loaded at all
        $called = array_diff(self::called(), ['spl_autoload_register']);
        self::assertGreaterThan(200, \count($called));
        $alike = [
            self::listed('EVERY_CACHE'),
            ...array_map(self::strings(...), array_values((array) self::constant('EXTENSIONS'))),
        ];
        $shared = [...self::listed('FOLDER'), 'chmod', 'file', 'link', 'stat', 'umask', 'stream_socket_client'];
        $groups = [];
        foreach ($alike as $functions) {
            $group = array_values(array_diff(array_intersect($functions, $called), $shared));
            $called = array_diff($called, $group);
            foreach (array_chunk($group, 20) as $some) {
                $groups[] = implode(',', $some);
            }
        }

        return [...array_values(array_unique($groups)), ...array_values($called)];
    }

    private static function constant(string $name): mixed
    {
        return (new \ReflectionClass(Functions::class))->getConstant($name);
    }

    /** @return list<string> */
    private static function listed(string $name): array
    {
        return self::strings(self::constant($name));
    }

    /** @return list<string> including those of nested arrays */
    private static function strings(mixed $value): array
    {
        return \is_string($value)
            ? [$value]
            : array_merge(...array_map(self::strings(...), array_values((array) $value)));
    }

    /** Finds a call that is neither listed nor dispensable, even if no scenario reaches it. */
    public function testEveryCallIsListedOrDispensable(): void
    {
        $guarded = [
            'chmod', 'fastcgi_finish_request', 'openssl_x509_parse', 'socket_import_stream', 'socket_shutdown',
            'stream_context_get_options',
        ];
        $guarded = [...$guarded, ...self::strings((new \ReflectionClass(Functions::class))->getConstants())];
        self::assertSame(
            [],
            array_values(array_diff(self::called(), $guarded, self::DISPENSABLE)),
            'add them to Functions, or do without',
        );
        self::assertSame(
            [],
            array_values(array_diff($guarded, self::called(), self::DISPENSABLE)),
            'nothing calls them any more',
        );
    }

    public function testOnlyConnectionsNeedStreams(): void
    {
        $code = <<<'PHP'
            foreach (['array:', 'memcached://127.0.0.1'] as $dsn) {
                try {
                    Larder\Cache::open($dsn);
                    echo 'opened ';
                } catch (Larder\Exception\StoreUnavailable $refusal) {
                    echo $refusal->what;
                }
            }
            PHP;
        foreach ([
            'stream_select' => 'opened opened ',
            'stream_set_timeout' => 'opened PHP has no function stream_set_timeout() here, which it needs',
        ] as $function => $said) {
            self::assertSame($said, PhpProcess::run($code, ['-d', "disable_functions=$function"]));
        }
    }

    public function testShutdownAndLocksWorkWithoutTheFunctionsThatHostsDisable(): void
    {
        $code = <<<'PHP'
            $cache = \Larder\Cache::open('file://%s');
            $parent = \Larder\Process\Pid::own();
            if (pcntl_fork() === 0) { echo \Larder\Process\Pid::own() === $parent ? 'the same' : 'another', ' '; exit(0); }
            pcntl_wait($status);
            $lock = $cache->lock('lock', 5);
            echo json_encode([$cache->remember('k', 60, fn() => 'made'), $cache->lock('lock', 5), $lock?->release()]);
            PHP;
        $options = [
            '-d',
            'disable_functions=' . implode(',', self::DISPENSABLE),
            '-d',
            'larder.segment=' . ini_get('larder.segment'),
        ];
        self::assertSame(
            'another ["made",null,true]',
            PhpProcess::run(\sprintf($code, Servers::directory('disabled-files')), $options),
        );
    }

    /**
     * Pools share opcache's compiled code, and the compiler evaluates what it can, such as the value of this setting.
     * Code compiled by PHP 8.4 finds PHP's functions by their index in a table, and disabling functions changes the
     * indexes: a script then calls wrong ones. Pools of separate masters only share opcache's files, which contain no
     * indexes.
     */
    public function testPoolThatDisablesFunctionsIsKnownToHaveThemDisabled(): void
    {
        $folder = Servers::directory('disabled-pool');
        file_put_contents(
            "$folder/plain.php",
            '<?php function plain(int $code): string { return chr($code) . ini_get("disable_functions"); '
                . '} echo plain(62 + strlen($_SERVER["REQUEST_METHOD"]));',
        );
        file_put_contents("$folder/page.php", \sprintf(<<<'PHP'
            <?php
            require %s;
            try {
                $cache = Larder\Cache::open('file://' . __DIR__ . '/cache');
                echo $cache->remember('key', 60, static fn(): string => 'made'), ' ', $cache->lock('lock', 5)?->release() ? 'locked' : 'not locked';
            } catch (Larder\Exception\StoreUnavailable $refusal) {
                echo $refusal->what;
            }
            PHP, var_export(\dirname(__DIR__, 3) . '/vendor/autoload.php', true)));
        $pools = [
            new PhpFpmPool('all'),
            new PhpFpmPool('some', ['disable_functions' => 'readlink,getmypid,gethostname,usleep,register_shutdown_function,opcache_get_status']),
            new PhpFpmPool('few', ['disable_functions' => 'array_sum']),
            new PhpFpmPool('no-files', ['disable_functions' => 'scandir']),
        ];
        $servers = [PhpFpmServer::start(
            Servers::directory('disabled-pool-server'),
            ['opcache.file_update_protection' => 0],
            pools: $pools,
        )];

        try {
            $body = static function (string $page, int $pool) use (&$servers, $folder, $pools): string {
                return ($servers[$pool + 1] ?? $servers[0])
                    ->request("$folder/$page.php", pool: $pools[$pool]->name)->body;
            };
            self::assertSame('A', $body('plain', 0));
            if ($body('plain', 1) !== 'A') {
                self::assertGreaterThanOrEqual(80_400, \PHP_VERSION_ID, 'the control: without Larder');
                mkdir("$folder/opcache", 0o700);
                foreach ($pools as $i => $pool) {
                    $servers[] = PhpFpmServer::start(
                        Servers::directory("disabled-pool-server-$i"),
                        ['opcache.file_update_protection' => 0, 'opcache.file_cache' => "$folder/opcache"],
                        pools: [$pool],
                    );
                }
                self::assertSame(
                    ['A', 'A'],
                    [$body('plain', 0), $body('plain', 1)],
                    'the control: what the first compiled is shared',
                );
            }
            for ($round = 0; $round < 2; ++$round) {
                self::assertSame('made locked', $body('page', 0));
                self::assertSame('made locked', $body('page', 1));
                self::assertSame('PHP has no function array_sum() here, which it needs', $body('page', 2));
                self::assertSame('PHP has no function scandir() here, which it needs', $body('page', 3));
            }
        } finally {
            array_walk($servers, static fn(PhpFpmServer $server) => $server->stop());
        }
    }

    /** @return string a folder with the scripts of the children */
    private static function scenario(): string
    {
        $folder = Servers::directory('disabled-' . bin2hex(random_bytes(4)));
        $classes = [];
        foreach ([
            'Larder\\' => self::SOURCE,
            'Predis\\' => 'predis/predis/src',
            'Psr\\Log\\' => 'psr/log/src',
            'Psr\\Cache\\' => 'psr/cache/src',
            'Psr\\SimpleCache\\' => 'psr/simple-cache/src',
            'Psr\\Clock\\' => 'psr/clock/src',
            'Psr\\Http\\Message\\' => 'psr/http-message/src',
        ] as $prefix => $source) {
            $source = (string) realpath(
                str_starts_with($source, '/') ? $source : __DIR__ . '/../../../vendor/' . $source,
            );
            foreach (self::files($source) as $file) {
                $classes[$prefix . strtr(substr($file, \strlen($source) + 1, -4), '/', '\\')] = $file;
            }
        }
        file_put_contents("$folder/classes.php", '<?php return ' . var_export($classes, true) . ';');
        mkdir("$folder/real");
        symlink("$folder/real", "$folder/link");
        $dsns = [
            'array' => 'array:',
            'none' => 'none:',
            'file' => "file://$folder/real/files",
            'link' => "file://$folder/link/files",
            'php-file' => "php-file://$folder/real/php-files",
            'sqlite' => "sqlite://$folder/real/cache.sqlite",
            'compressed' => "file://$folder/real/compressed?serializer=igbinary&compress=zlib&sign=env:LARDER_TEST_KEY",
            'auto' => 'auto:',
            'larder' => 'larder:',
            'apcu' => 'apcu:',
            'shmop' => 'shmop:',
            'tier' => "tier:(array:)(file://$folder/real/tier)",
            'redis' => 'redis://' . Servers::redis()->socket,
            'predis' => 'redis://' . Servers::redis()->socket . '?client=predis',
            'memcached' => 'memcached://' . Servers::memcached()->socket,
            'memcache' => 'memcache://' . Servers::memcached()->socket,
            'redis away' => 'redis://127.0.0.1:1',
            'cluster away' => 'redis+cluster://127.0.0.1:1',
            'sentinel away' => 'redis+sentinel://127.0.0.1:1/main',
            'mysql away' => 'mysql://user@127.0.0.1:1/cache',
            'pgsql away' => 'pgsql://user@127.0.0.1:1/cache',
        ];
        foreach ($dsns as $name => $dsn) {
            // Children that run at once each clear their own namespace.
            $option = "namespace=disabled-' . \$_SERVER['LARDER_CHILD'] . '";
            $dsns[$name] = "'" . match (true) {
                \in_array($name, ['array', 'none'], true) => $dsn,
                str_ends_with($dsn, ')') => substr($dsn, 0, -1) . "?$option)",
                default => $dsn . (str_contains($dsn, '?') ? '&' : '?') . $option,
            } . "'";
        }
        file_put_contents(
            "$folder/dsns.php",
            '<?php return [' . implode(
                ', ',
                array_map(static fn(string $name, string $dsn): string => "'$name' => $dsn", array_keys($dsns), $dsns),
            ) . '];',
        );

        return $folder;
    }

    /**
     * @param list<string> $functions to disable, one in each child; '' for none
     * @return array<string, string> output of each child
     */
    private function said(string $folder, array $functions): array
    {
        $said = [];
        $waiting = $functions;
        while ($waiting !== [] || $this->running !== []) {
            while ($waiting !== [] && \count($this->running) < 4) {
                $function = array_shift($waiting);
                $this->running["-$function"] = new Process(
                    [
                        ...PhpProcess::commandWithEngine(
                            'apc.enable_cli=1',
                            'larder.segment=' . ini_get('larder.segment'),
                            'opcache.enable_cli=1',
                            "opcache.file_cache=$folder",
                            'opcache.file_update_protection=0',
                            "disable_functions=$function",
                            'display_errors=stderr',
                            "error_log=$folder/log",
                        ),
                        __DIR__ . '/disabled-functions.php',
                    ],
                    env: [
                        'LARDER_TEST' => $folder,
                        'LARDER_CHILD' => substr(hash('xxh64', $function), 0, 8),
                        'LARDER_TEST_KEY' => str_repeat('key', 20),
                    ],
                    timeout: 300.0,
                );
                $this->running["-$function"]->start();
            }
            foreach ($this->running as $name => $process) {
                if (!$process->isRunning()) {
                    $said[substr($name, 1)] = $process->getOutput() . $process->getErrorOutput();
                    unset($this->running[$name]);
                }
            }
            usleep(2000);
        }

        return $said;
    }

    /** @return list<string> the functions of PHP that the library calls, those of extensions too */
    private static function called(): array
    {
        $called = [];
        foreach (self::files(self::SOURCE) as $file) {
            $tokens = array_values(array_filter(
                \PhpToken::tokenize((string) file_get_contents($file)),
                static fn(\PhpToken $token): bool => !$token->isIgnorable(),
            ));
            foreach ($tokens as $i => $token) {
                $isCall = $token->is([\T_STRING, \T_NAME_FULLY_QUALIFIED]) && $tokens[$i + 1]->text === '(';
                if ($isCall && !$tokens[$i - 1]->is([
                    \T_OBJECT_OPERATOR, \T_NULLSAFE_OBJECT_OPERATOR, \T_DOUBLE_COLON, \T_NEW, \T_FUNCTION, \T_ATTRIBUTE,
                ])) {
                    $called[strtolower(ltrim($token->text, '\\'))] = true;
                }
            }
        }
        ksort($called);

        return array_map(strval(...), array_keys($called));
    }

    /** @return list<string> */
    private static function files(string $folder): array
    {
        $files = [];
        /** @var \SplFileInfo $file */
        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(
            $folder,
            \FilesystemIterator::SKIP_DOTS,
        )) as $file) {
            if ($file->getExtension() === 'php') {
                $files[] = $file->getPathname();
            }
        }

        return $files;
    }
}
