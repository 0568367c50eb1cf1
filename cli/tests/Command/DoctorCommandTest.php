<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cache;
use Larder\Cli\Server\Address;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\Server\ServerProcess;
use Larder\Cli\System\Executable;
use Larder\Cli\System\FileSystem;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Runs the command in a PHP that has only the extensions and settings that each test gives it. */
final class DoctorCommandTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../..';
    private const ENGINE = ['-d', 'extension=' . self::ROOT . '/extension/modules/larder.so'];
    private const APCU = ['-d', 'extension=apcu'];
    private const MODULE = ['-d', 'extension=' . self::ROOT . '/var/apcu/modules/apcu.so'];
    private const POSIX = ['-d', 'extension=posix'];

    private TemporaryDirectory $directory;
    private ?ServerProcess $redis = null;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory(FileSystem::tmpfs());
    }

    protected function tearDown(): void
    {
        $this->redis?->stop();
    }

    public function testLongLinesAreFoldedForATerminalOnly(): void
    {
        if (!Process::isPtySupported()) {
            self::markTestSkipped('there are no terminals here');
        }
        $command = ['php', self::ROOT . '/cli/bin/larder', 'doctor', 'redis://127.0.0.1:1'];
        $longest = static fn(Process $doctor): int
            => max(array_map(strlen(...), explode("\n", str_replace("\r", '', $doctor->getOutput()))));
        $piped = new Process($command, env: ['COLUMNS' => '60'], timeout: 120);
        $piped->run();
        self::assertGreaterThan(80, $longest($piped));

        $doctor = new Process($command, env: ['COLUMNS' => '60'], timeout: 120);
        $doctor->setPty(true);
        $doctor->run();
        self::assertLessThanOrEqual(60, $longest($doctor), $doctor->getOutput());
        self::assertStringContainsString("\n" . str_repeat(' ', 18), $doctor->getOutput());
    }

    /** @return iterable<string, array{list<string>, int, list<string>}> */
    public static function machines(): iterable
    {
        $package = static fn(string $name): string
            => \sprintf('apt-get install php%d\.%d-%s', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION, $name);
        yield 'the engine' => [[...self::POSIX, ...self::ENGINE], 0, [
            '^  available, version ', '^  nothing has been stored yet; the first store creates the segment$',
            '^  larder     yes  shared by all', '^  larder: chosen, ', '^  Processes share it\.$',
        ]];
        yield 'the engine off' => [[...self::POSIX, ...self::ENGINE, '-d', 'larder.enabled=0'], 0, [
            '^  not available, ', '^  larder\.enabled is off$',
            '^  larder     no   the engine is loaded but switched off\n +Set larder\.enabled=1', '^  file: chosen',
        ]];
        yield 'the engine without a name that it takes' => [
            [...self::POSIX, ...self::ENGINE, '-d', 'larder.segment=no/name', '-d', 'error_log=/dev/null'],
            1,
            [
                '^  not available, ', '^  larder     no   larder\.segment must be ',
                '^  larder: chosen, .* keeps nothing now: larder\.segment must be ', '^  Processes do not share it\.$',
            ],
        ];
        yield 'APCu on' => [[...self::POSIX, ...self::APCU, '-d', 'apc.enable_cli=1'], 1, [
            '^  apcu       yes  on the command line for one process alone$', '^  yac .*\n.*Debian removes apcu',
            '^  apcu: chosen', '^  Processes do not share it: on the command line',
        ]];
        yield 'the functions of APCu over the engine' => [
            [...self::POSIX, ...self::ENGINE, ...self::MODULE, '-d', 'apc.enable_cli=1'],
            0,
            [
                '^  apcu       yes  shared by all processes of .*\n +The module apcu is Larder\'s: apcu_\*\(\) '
                    . 'use the engine, segment default\.apcu, and apcu: its segment default$', '^  larder: chosen',
            ],
        ];
        yield 'APCu off' => [[...self::POSIX, ...self::APCU, '-d', 'apc.enable_cli=0'], 0, [
            '^  apcu       no   APCu is loaded but switched off\n +On the command line it is on with: '
                . 'php -d apc\.enable_cli=1$', '^  file: chosen', '^  Processes share it\.$',
        ]];
        yield 'no extension' => [[], 0, [
            '^  not loaded; see larder below$',
            '^  larder     no .*\n +To add it: run sudo make install in a clone of Larder$',
            ...array_map(
                static fn(string $store, string $name, string $legacy): string => \sprintf(
                    '^  %-10s no   the PHP extension \w+ is not loaded%s\n +To add it: %s$',
                    $store,
                    $legacy,
                    $package($name),
                ),
                ['apcu', 'yac', 'shmop', 'redis', 'mysql', 'pgsql', 'sqlite'],
                ['apcu', 'yac', 'common', 'redis', 'mysql', 'pgsql', 'sqlite3'],
                ['', ' \(legacy, not recommended\)', ' \(legacy, not recommended\)', '', '', '', ''],
            ),
            '^  file       yes ', '^  php-file   yes .*\n +It is slow without opcache', '^  file: chosen',
            '^  Processes share it\.$',
        ]];
        yield 'no directory' => [[...self::POSIX, '-d', 'sys_temp_dir=/nowhere'], 2, [
            '^  file       no   /nowhere: cannot create a directory there\n +Name a directory', '^  takes nothing: ',
            'Make it for the user \w+: install -d -m 700 -o \w+ \'/nowhere/larder-',
        ]];
    }

    /**
     * @param list<string> $options of php
     * @param list<string> $lines patterns
     */
    #[DataProvider('machines')]
    public function testWorkingStoresAndWhatOthersNeedArePrinted(array $options, int $code, array $lines): void
    {
        $run = $this->doctor($options);
        self::assertSame($code, $run->run(), $run->getOutput() . $run->getErrorOutput());
        self::assertSame('', $run->getErrorOutput());
        self::assertStringStartsWith(\sprintf('PHP %s (cli), ', \PHP_VERSION), $run->getOutput());
        foreach ($lines as $line) {
            self::assertMatchesRegularExpression('~' . $line . '~m', $run->getOutput());
        }
    }

    public function testWhatIsThereStays(): void
    {
        $redis = RedisServer::start($this->directory->add('redis'));
        $addresses = [
            'file://' . $this->directory->add('files'),
            \sprintf('sqlite://%s/cache.sqlite', $this->directory->path),
            'redis://' . $redis->socket . '?client=predis',
        ];
        $keys = [];
        foreach ($addresses as $address) {
            Cache::open($address)->set('of the application', 'value', 600);
            $keys[$address] = iterator_to_array(Cache::open($address)->keys(), false);
        }
        $this->doctor([...self::POSIX, '-d', 'extension=pdo', '-d', 'extension=pdo_sqlite'], $addresses)->mustRun();
        foreach ($addresses as $address) {
            self::assertSame($keys[$address], iterator_to_array(Cache::open($address)->keys(), false), $address);
            self::assertSame('value', Cache::open($address)->get('of the application'), $address);
        }
        $redis->stop();
    }

    public function testGivenDsnsAreTried(): void
    {
        $redis = RedisServer::start($this->directory->add('redis'));
        $memcached = MemcachedServer::start($this->directory->add('memcached'));
        $mariaDb = MariaDbServer::start($this->directory->add('mariadb'));
        $addresses = [
            \sprintf('redis://127.0.0.1:%d?client=predis', $redis->port),
            'memcached://' . $memcached->socket,
            \sprintf(
                'mysql://%s:%s@127.0.0.1:%d/%s',
                MariaDbServer::USER,
                $mariaDb->password,
                $mariaDb->port,
                MariaDbServer::DATABASE,
            ),
        ];
        $options = [
            ...self::POSIX, '-d', 'extension=msgpack', '-d', 'extension=igbinary', '-d', 'extension=mysqlnd', '-d',
            'extension=pdo', '-d', 'extension=pdo_mysql',
        ];
        $patterns = [
            '~^  redis      yes  127\.0\.0\.1:' . $redis->port . ', shared by all clients of the server$~m',
            '~^  memcached  yes  ' . preg_quote($memcached->socket) . ', shared by all clients~m',
            '~^  mysql      yes  127\.0\.0\.1:' . $mariaDb->port . ', shared by all clients~m',
        ];
        $said = $this->doctor($options, $addresses)->mustRun()->getOutput();
        foreach ($patterns as $pattern) {
            self::assertMatchesRegularExpression($pattern, $said);
        }
        self::assertStringNotContainsString($mariaDb->password, $said);
        $redis->stop();
        $memcached->stop();
        $mariaDb->stop();
        $said = $this->doctor($options, $addresses)->mustRun()->getOutput();
        foreach ($patterns as $pattern) {
            self::assertDoesNotMatchRegularExpression($pattern, $said);
        }
    }

    /** @return iterable<string, array{list<string>, list<string>, list<string>}> */
    public static function setUpsOfRedis(): iterable
    {
        $name = '^ {18}(Redis|Valkey) [\d.]+: [\d.]+ MiB';
        yield 'as it is installed' => [['--save', '3600 1 300 100'], [
            "$name used, and no limit: it grows until the machine has no memory left\n {20}Set maxmemory, "
                . 'and maxmemory-policy allkeys-lru or allkeys-lfu$',
            '^ {18}save 3600 1 300 100: a snapshot may take as much memory again, .*\n {20}A cache needs no snapshots: '
                . 'save ""$',
        ], ['maxmemory-policy noeviction', 'appendonly']];
        yield 'for a cache' => [['--maxmemory', '20mb', '--maxmemory-policy', 'allkeys-lfu'], [
            "$name of 20\.0 MiB used, maxmemory-policy allkeys-lfu, 0 keys evicted since it started$",
        ], ['Set maxmemory', 'save', 'appendonly', 'may not']];
        yield 'without eviction, with a log' => [['--maxmemory', '20mb', '--appendonly', 'yes'], [
            '^ {18}maxmemory-policy noeviction: when the memory is full, set\(\) '
                . 'returns false and deletes the old value\n {20}Set maxmemory-policy allkeys-lru',
            '^ {18}appendonly yes: .*\n {20}A cache needs no log: appendonly no$',
        ], ['no limit']];
        yield 'with eviction of some' => [['--maxmemory', '20mb', '--maxmemory-policy', 'volatile-lru'], [
            '^ {18}maxmemory-policy volatile-lru: only keys with a ttl are evicted, 1 of 3 keys now; '
                . 'when there are none, set\(\) returns false$',
        ], ['no limit']];
        yield 'with eviction of any' => [['--maxmemory', '20mb', '--maxmemory-policy', 'allkeys-random'], [
            '^ {18}maxmemory-policy allkeys-random: it evicts what is used as readily as what is not$',
        ], ['no limit']];
    }

    /**
     * @param list<string> $options of redis-server
     * @param list<string> $lines patterns
     * @param list<string> $others texts that must not appear
     */
    #[DataProvider('setUpsOfRedis')]
    public function testSettingsOfRedisAreExplained(array $options, array $lines, array $others): void
    {
        $socket = $this->redis(...$options);
        $redis = new \Redis();
        $redis->connect($socket);
        $redis->mset(['a' => '1', 'b' => '2']);
        $redis->setex('c', 60, '3');
        $said = $this->doctor(self::POSIX, ["redis://$socket?client=predis&timeout=30"])->mustRun()->getOutput();
        $said = substr($said, (int) strpos($said, "  redis      yes  $socket"));
        foreach ($lines as $line) {
            self::assertMatchesRegularExpression("~$line~m", $said);
        }
        foreach ($others as $other) {
            self::assertStringNotContainsString($other, $said);
        }
        self::assertSame(3, $redis->dbSize());
    }

    public function testMissingRightsAreNamed(): void
    {
        $socket = $this->redis();
        $redis = new \Redis();
        $redis->connect($socket);
        $users = [
            'blind' => ['~larder-cache:*', '+@all', '-info', '-scan'],
            'elsewhere' => ['~other:*', '+@all', '-evalsha', '-eval'],
        ];
        foreach ($users as $user => $rights) {
            $redis->rawcommand('ACL', 'SETUSER', $user, 'on', '>word', ...$rights);
        }
        $said = $this->doctor(
            self::POSIX,
            array_map(
                static fn(string $user): string => "redis://$user:word@$socket?client=predis",
                array_keys($users),
            ),
        )->mustRun()->getOutput();
        foreach ([
            '  redis      yes  SOCKET, .*\n {18}this user may not use SCAN\n {20}ACL SETUSER <user> \+scan\n {18}this '
                . 'user may not see how the server is set up\n {20}.* \+info\n',
            '  redis      no   it refuses requests: SOCKET: '
                . 'NOPERM .*\n {18}Give the user the rights .*\n {18}this user may not use EVALSHA, '
                . 'EVAL and use the keys of the cache\n {20}ACL SETUSER <user> \+evalsha \+eval ~larder-cache:\*\n',
        ] as $lines) {
            self::assertMatchesRegularExpression(
                '#' . str_replace('SOCKET', preg_quote($socket, '#'), $lines) . '#',
                $said,
            );
        }
        self::assertSame(0, $redis->dbSize());
    }

    public function testServerThatRefusesWritesIsReportedWithItsReason(): void
    {
        $socket = $this->redis('--replicaof', '127.0.0.1 1');
        $said = $this->doctor(self::POSIX, ["redis://$socket?client=predis&timeout=30"])->mustRun()->getOutput();
        self::assertMatchesRegularExpression(
            "~redis      no   it refuses requests: $socket: READONLY .*\n {18}It is a replica. Name its master~",
            $said,
        );
    }

    public function testFolderThatDeniesAUserTheCacheIsReported(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root can run processes of other users');
        }
        $path = $this->directory->path;
        chmod($path, 0o1777);
        mkdir("$path/larder-33");
        chown("$path/larder-33", 65534);
        mkdir("$path/larder-65534", 0o700);
        chown("$path/larder-65534", 65534);
        // The command for root must not change what the owner has put in place of the folder.
        mkdir("$path/larder-33/precious", 0o711);
        mkdir("$path/larder", 0o755);
        symlink("$path/larder-33/precious", "$path/larder/33");
        chown("$path/larder", 65534);
        $command = "cd $path && rm -rf larder && mkdir -m 755 larder && install -d -m 700 -o 33 larder/33";
        $ini = ['-d', "larder.path=$path", '-d', 'larder.size=8M', '-d', 'error_log=/dev/null'];

        $run = $this->doctor([...self::POSIX, ...self::ENGINE, ...$ini]);
        $run->run();
        self::assertStringContainsString("$path/larder-33 belongs to user 65534, so user 33", $run->getOutput());
        self::assertStringContainsString("Repair it, as root: $command\n", $run->getOutput());
        self::assertStringNotContainsString('user 65534 (', $run->getOutput());

        // The control: the user has no cache until the command has run.
        copy(self::ROOT . '/extension/modules/larder.so', "$path/larder.so"); // the user may not reach the clone
        $look = [
            'setpriv',
            '--reuid',
            '33',
            '--clear-groups',
            '--regid',
            '33',
            \PHP_BINARY,
            '-n',
            '-d',
            "extension=$path/larder.so",
            ...$ini,
            '-r',
            'echo json_encode([larder_store("a", 1), larder_info()["reason"]]);',
        ];
        $user = new Process($look);
        $user->mustRun();
        self::assertSame(json_encode([
            false,
            "the folder $path/larder-33 belongs to user 65534, not to 33, who has no cache; as root: $command",
        ]), $user->getOutput());
        Process::fromShellCommandline($command)->mustRun();
        clearstatcache();
        self::assertSame([0, 0o40711], [fileowner("$path/larder-33/precious"), fileperms("$path/larder-33/precious")]);
        $user->mustRun();
        self::assertSame('[true,""]', $user->getOutput());
        $run->run();
        self::assertStringNotContainsString('belongs to user', $run->getOutput());
    }

    /** Found by their files: root does not map segments of other users. */
    public function testSegmentsOfAllUsersAreListedForRoot(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root can run processes of other users');
        }
        $path = $this->directory->path;
        chmod($path, 0o1777);
        copy(self::ROOT . '/extension/modules/larder.so', "$path/larder.so"); // others may not reach the clone
        $options = ['-d', "larder.path=$path", '-d', 'larder.size=8M'];
        foreach (['33' => 'shop', '65534' => 'default'] as $user => $segment) {
            (new Process([
                'setpriv', '--reuid', (string) $user, '--clear-groups', '--regid', (string) $user, \PHP_BINARY, '-n',
                '-d', "extension=$path/larder.so", ...$options, '-d', "larder.segment=$segment", '-r',
                'larder_store("a", 1);',
            ]))->mustRun();
        }
        symlink("$path/larder-33", "$path/larder-34");
        $said = $this->doctor([...self::POSIX, ...self::ENGINE, ...$options])->mustRun()->getOutput();
        self::assertMatchesRegularExpression(
            '~^  segments of user 33 \(www-data\): shop \(8\.0 MiB, [\d.]+ [KM]iB committed\)$~m',
            $said,
        );
        self::assertMatchesRegularExpression(
            '~^  segments of user 65534 \(nobody\): default \(8\.0 MiB, [\d.]+ [KM]iB committed\)$~m',
            $said,
        );
        self::assertSame(2, substr_count($said, 'segments of user'));
    }

    public function testSegmentOfAnotherPhpIsToBeDumped(): void
    {
        $own = "{$this->directory->path}/larder-" . posix_geteuid();
        $php = [...self::POSIX, ...self::ENGINE];
        (new Process([\PHP_BINARY, '-n', ...$this->place(), ...$php, '-r', 'larder_store("k", 1);']))->mustRun();
        $said = $this->doctor($php)->mustRun()->getOutput();
        self::assertStringNotContainsString('another version', $said, 'the control');
        file_put_contents("$own/default-0123456789abcdef", str_repeat('x', 8192));
        file_put_contents("$own/shop-0123456789abcdef", str_repeat('x', 8192));
        $said = $this->doctor($php)->mustRun()->getOutput();
        self::assertStringContainsString('  segment default of another version of PHP or Larder: 8 KiB committed, ', $said);
        self::assertStringContainsString('  To keep what is in it: larder dump FILE with that version', $said);
        self::assertStringNotContainsString('shop', $said);
    }

    public function testEmptySettingIsReported(): void
    {
        $said = fn(string ...$settings): string => $this->doctor([
            ...self::POSIX,
            ...self::ENGINE,
            ...array_merge(...array_map(
                static fn(string $setting): array => ['-d', $setting],
                array_values($settings),
            )),
        ])->mustRun()->getOutput();
        self::assertMatchesRegularExpression(
            '~^  larder\.classes is set but empty: every object is a miss\. Set it to nothing if that is meant~m',
            $said('larder.classes=none'),
        );
        self::assertMatchesRegularExpression(
            '~^  larder\.size is set but empty: the default applies~m',
            $said('larder.size=off', 'display_startup_errors=0', 'error_log=/dev/null'),
        );
        self::assertStringNotContainsString(
            'empty:',
            $said('larder.classes=nothing', 'larder.zero_copy=off', 'larder.compact=no'),
        );
    }

    public function testTooSmallEngineIsReported(): void
    {
        $options = [...self::POSIX, ...self::ENGINE, '-d', 'larder.size=16M'];
        $fill = 'for ($i = 0; $i < 64000; ++$i) { larder_store("k$i", str_repeat("x", 1000)); }';
        (new Process([\PHP_BINARY, '-n', ...$options, ...$this->place(), '-r', $fill]))->mustRun();
        $run = $this->doctor($options);
        self::assertSame(1, $run->run(), 'it has lost most of what was stored');
        self::assertMatchesRegularExpression(
            '~^  NO VERDICT\. Of what was stored, 7\d % was evicted\. .*: set larder\.size=32M in php\.ini, then run: larder '
                . 'resize\. Counted since the cache was made \d+ s ago\.$~m',
            $run->getOutput(),
        );
        $larger = $this->doctor(
            [...self::POSIX, ...self::ENGINE, '-d', 'larder.size=32M', '-d', 'error_log=/dev/null'],
        );
        $larger->run();
        self::assertMatchesRegularExpression(
            '~^  the segment was made with larder\.size=16M \(here 32M\); set the same here, '
                . 'or larder resize replaces it by an empty one$~m',
            $larger->getOutput(),
        );
        self::assertSame(
            1,
            preg_match_all('~\b32(?:\.0 MiB|M|554432)~', $larger->getOutput()),
            'told once: ' . $larger->getOutput(),
        );
        self::assertMatchesRegularExpression(
            '~^  NO VERDICT\. .* If all of it is to stay: run: larder resize\. Counted~m',
            $larger->getOutput(),
        );
    }

    public function testPollutedEngineIsNotAdvisedMoreMemory(): void
    {
        $options = [...self::POSIX, ...self::ENGINE, '-d', 'larder.size=16M'];
        $fill = 'for ($i = 0; $i < 64000; ++$i) { larder_store("page:/?sid=$i", str_repeat("x", 1000)); %s }';
        $run = fn(string $code) => (new Process([\PHP_BINARY, '-n', ...$options, ...$this->place(), '-r', $code]))->mustRun();
        $run(\sprintf($fill, ''));
        $said = $this->doctor($options);
        self::assertSame(1, $said->run());
        self::assertStringContainsString('  NO VERDICT. ', $said->getOutput(), 'the control: nobody has read it yet');

        // Whatever was read, it is not read again, and no memory would change the misses.
        $fill = \sprintf($fill, 'larder_fetch("page:/?sid=$i"); larder_fetch("page:/?sid=$i"); larder_fetch("gone");');
        $run($fill);
        $said = $this->doctor($options);
        self::assertSame(1, $said->run());
        self::assertMatchesRegularExpression(
            '~^  POLLUTED\. Keys that begin with page: take 100 % of the memory, and hardly any was read more than ~m',
            $said->getOutput(),
        );
        $run(str_repeat($fill, 5));
        $said = $this->doctor($options);
        $said->run();
        self::assertStringContainsString(' 66.7 % of the gets hit; with 32 MiB 66.7 % would, with 64 MiB 66.7 %.', $said->getOutput());
    }

    public function testFullCacheIsJudgedByWhatOtherSizesWouldGive(): void
    {
        $options = [...self::POSIX, ...self::ENGINE, '-d', 'larder.size=16M'];
        $run = fn(string ...$command): Process => new Process([\PHP_BINARY, '-n', ...$options, ...$this->place(), ...$command], timeout: 600);
        $run('-r', <<<'PHP'
            for ($i = 0; $i < 1_500_000; ++$i) {
                $key = 'k' . (int) (150_000 * (mt_rand() / mt_getrandmax()) ** 2);
                larder_fetch($key) ?? larder_store($key, str_repeat('x', 400));
            }
            PHP)->mustRun();
        $sentence = '~^(  )?TOO SMALL\. With 64 MiB instead of 16, [89]\d % would hit instead of [34]\d %\.\sSet\slarder\.size=64M\sin\sphp\.ini,\sthen\srun:\slarder\sresize\.~m';
        $said = $this->doctor($options);
        self::assertSame(1, $said->run(), 'a warning');
        self::assertMatchesRegularExpression($sentence, $said->getOutput());

        $top = $run(self::ROOT . '/cli/bin/larder', 'top', '--once')->mustRun()->getOutput();
        self::assertMatchesRegularExpression($sentence, $top);
        self::assertMatchesRegularExpression('~^Size +4 MiB +8 MiB +16 MiB +32 MiB +64 MiB\nHits +[12]\d % +[23]\d % +[34]\d % +[56]\d % +[89]\d %$~m', $top);
        $metrics = $run(self::ROOT . '/cli/bin/larder', 'top', '--prometheus')->mustRun()->getOutput();
        self::assertMatchesRegularExpression('~^larder_predicted_hit_ratio\{.*,factor="2"\} 0\.[56]\d+$~m', $metrics);
    }

    /** More memory could turn no more than the misses into hits. */
    public function testFullCacheWithFewMissesIsHealthy(): void
    {
        $options = [...self::POSIX, ...self::ENGINE, '-d', 'larder.size=16M'];
        $fill = 'for ($i = 0; $i < 20000; ++$i) { larder_store("k$i", str_repeat("x", 1000)); larder_fetch("k$i"); larder_fetch("k$i"); %s }';
        $run = fn(string $code) => (new Process([\PHP_BINARY, '-n', ...$options, ...$this->place(), '-r', $code]))->mustRun();
        $run(\sprintf($fill, ''));
        $said = $this->doctor($options)->mustRun()->getOutput();
        self::assertMatchesRegularExpression('~^  HEALTHY\. .* could raise that by 0\.\d points at most\. Counted since the cache was made \d+ (s|min) ago\.$~m', $said);

        // the control: a script warms the cache, and nobody stores what was evicted
        $run(\sprintf($fill, 'larder_fetch("gone");'));
        $ill = $this->doctor($options);
        self::assertSame(1, $ill->run(), 'a warning');
        self::assertMatchesRegularExpression('~^  TOO SMALL\. Half of what was evicted was stored, or moved, less than \d+ s before, and (?:[5-9]\d|100) % of it~m', $ill->getOutput());
    }

    /** Every full cache evicts some entries. */
    public function testEngineThatKeepsMostIsWell(): void
    {
        $options = [...self::POSIX, ...self::ENGINE, '-d', 'larder.size=16M'];
        (new Process([
            \PHP_BINARY,
            '-n',
            ...$options,
            ...$this->place(),
            '-r',
            'for ($i = 0; $i < 15000; ++$i) { larder_store("k$i", str_repeat("x", 1000)); } larder_delete("k14999");',
        ]))->mustRun();
        $said = $this->doctor($options)->mustRun()->getOutput();
        self::assertStringContainsString("\n  Processes share it.\n", $said);
        self::assertDoesNotMatchRegularExpression('~evicted for memory: 0,~', $said, 'the control: some were evicted');
        self::assertStringContainsString('; deleted: 1; ', $said);
    }

    /** @return iterable<string, array{string, string}> */
    public static function sizesOnASmallTmpfs(): iterable
    {
        yield 'larder.size is larger than it' => ['64M', 'has 16.0 MiB (in a container: --shm-size), then run:'];
        yield 'larder.size is as large as it can be' => [
            '15M',
            'has 16.0 MiB (in a container: --shm-size), set larder.size=30M in php.ini, then run:',
        ];
    }

    #[DataProvider('sizesOnASmallTmpfs')]
    public function testEngineOnASmallTmpfsNeedsALargerOne(string $size, string $advice): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root can mount');
        }
        $options = [...self::POSIX, ...self::ENGINE, '-d', "larder.size=$size", '-d', 'error_log=/dev/null'];
        $fill = [
            \PHP_BINARY,
            '-n',
            ...$options,
            ...$this->place(),
            '-r',
            'for ($i = 0; $i < 32000; ++$i) { larder_store("k$i", str_repeat("x", 1000)); }',
        ];
        $script = \sprintf(
            'mount -t tmpfs -o size=16m tmpfs %s && %s && exec "$@"',
            $this->directory->path,
            implode(' ', array_map(escapeshellarg(...), $fill)),
        );
        $doctor = new Process([
            'unshare',
            '--mount',
            'sh',
            '-c',
            $script,
            'sh',
            \PHP_BINARY,
            '-n',
            ...$this->place(),
            ...$options,
            self::ROOT . '/cli/bin/larder',
            'doctor',
        ]);
        $doctor->run();
        self::assertStringContainsString(
            "enlarge the file system of {$this->directory->path}, which $advice larder resize",
            $doctor->getOutput(),
        );
    }

    public function testItLeavesNothingBehind(): void
    {
        $this->doctor([...self::POSIX, ...self::ENGINE])->mustRun();
        $entries = (new Process([
            \PHP_BINARY,
            '-n',
            ...self::ENGINE,
            ...$this->place(),
            '-r',
            'larder_exists("k"); echo larder_info()["entries"];',
        ]))->mustRun();
        self::assertSame('0', $entries->getOutput());
        self::assertSame([], glob($this->directory->path . '/larder-cli-*'));
    }

    public function testCloneNamesTheCommandThatInstallsItsEngine(): void
    {
        $engine = self::ROOT . '/extension/modules/larder.so';
        $run = $this->doctor([...self::POSIX, ...self::ENGINE])->setEnv(['LARDER_EXTENSION' => $engine]);
        $run->run();
        self::assertStringContainsString('sudo make -C ' . self::ROOT . ' install', $run->getOutput());
    }

    public function testInvalidDsnIsRefused(): void
    {
        $run = $this->doctor(self::POSIX, ['mongodb://localhost']);
        self::assertSame(3, $run->run());
        self::assertStringContainsString(
            'The scheme of the DSN is not known: it begins with one of auto:',
            $run->getErrorOutput(),
        );
    }

    /** @return string the socket of a Redis server that allows CONFIG, which those of RedisServer do not */
    private function redis(string ...$options): string
    {
        $socket = $this->directory->add('redis') . '/redis.sock';
        $this->redis = ServerProcess::start(
            [Executable::find([
                'redis-server',
                'valkey-server',
            ], 'redis-server')->path, '--port', '0', '--unixsocket', $socket, '--dir', \dirname(
                $socket,
            ), '--save', '', ...array_values($options)],
            \dirname($socket) . '/log',
            static fn(): bool => Address::says($socket, "PING\r\n", 'PONG'),
        );

        return $socket;
    }

    /**
     * @param list<string> $options of php
     * @param list<string> $addresses
     */
    private function doctor(array $options, array $addresses = []): Process
    {
        return new Process([
            \PHP_BINARY,
            '-n',
            ...$this->place(),
            ...$options,
            self::ROOT . '/cli/bin/larder',
            'doctor',
            ...$addresses,
        ], timeout: 300);
    }

    /** @return list<string> options that keep all values within this test's directory */
    private function place(): array
    {
        return ['-d', 'sys_temp_dir=' . $this->directory->path, '-d', 'larder.path=' . $this->directory->path];
    }
}
