<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Driver\Driver;
use Larder\Drivers;
use PHPUnit\Framework\TestCase;

/** Only a store's folder, the registry and the launcher of its server name it; all other code asks the registry. */
final class StoreNamesTest extends TestCase
{
    private const ROOT = __DIR__ . '/..';
    private const CODE = ['library/src', 'cli/src', 'cli/bin'];

    /** Files that may name stores, and why. */
    private const ALLOWED = [
        'library/src/Drivers.php' => 'the registry',
        'library/src/Driver/Memory/' => 'the public store of its driver',
        'library/src/Internal/Driver/Apcu/' => 'takes the engine\'s store where the module apcu is Larder\'s',
        'library/src/Internal/Driver/Legacy/MySqlMemory/' => 'a table engine of a recommended store',
        'library/src/Internal/Driver/Legacy/Yac/' => 'its package excludes that of APCu',
        'library/src/Internal/Driver/Memcached/' => 'the client of the same servers that needs no extension',
        'library/src/Internal/Driver/MySql/' => 'the store of all SQL databases',
        'library/src/Internal/Driver/PostgreSql/' => 'the store of all SQL databases',
        'library/src/Internal/Driver/Sql/' => 'the store of all SQL databases',
        'library/src/Internal/Driver/Sqlite/' => 'the store of all SQL databases',
        'library/src/Internal/Driver/Pdo/' => 'the names of PDO\'s drivers',
        'library/src/Internal/Driver/PhpFile/' => 'locks by files of another store',
        'library/src/Cache.php' => 'calls the engine without a detour',
        'library/src/Internal/Decorator/Breaker/' => 'answers as a store that keeps nothing',
        'library/src/Internal/Decorator/Tier/' => 'reads the engine without a detour',
        'library/src/Internal/Driver/Redis/Topology/' => 'asks a store that keeps nothing what it refuses',
        'library/src/Internal/Process/Functions.php' => 'the functions of PHP that each store needs',
        'library/src/Internal/Resolver.php' => 'what auto: finds may be in the process',
        'library/src/Internal/Psr/Deferred.php' => 'keeps values in the process',
        'cli/src/Advice/Advice.php' => 'the usual stores, which the answer compares',
        'cli/src/Command/CompareCommand.php' => 'measures the APCu that a user names',
        'cli/src/Compare/Apcu.php' => 'the APCu that a user names',
        'cli/src/Compare/Artefacts.php' => 'artefacts of single stores',
        'cli/src/Compare/Catalog.php' => 'measures the APCu that a user names',
        'cli/src/Compare/PublishedCounterpart.php' => 'the names in the published studies',
        'cli/src/Compare/StoreLocations.php' => 'spells servers as people do',
        'cli/src/Http/' => 'pages written for one store each, as the studies had them',
        'cli/src/Inspect/' => 'reads all that is on a server, whoever stored it',
        'cli/src/Measure/Preflight.php' => 'marks an old version of an extension',
        'cli/src/Operator/Page.php' => 'says which segment beside it has entries',
        'cli/src/Report/Html/Screen.php' => 'the usual stores, which the headline compares',
        'cli/src/Report/Setup.php' => 'spells stores as people do',
        'cli/src/Server/' => 'the launchers of the servers',
        'cli/src/Command/DoctorCommand.php' => 'fails for an engine that loses most entries',
        'cli/src/Command/ListenCommand.php' => 'which local copies a tier shares',
        'cli/src/Study/' => 'the stores that each study measured',
        'cli/src/Stampede/Stampede.php' => 'a store that keeps nothing is no failure',
        'cli/src/Workload/' => 'memory, counters and limits of each store',
    ];

    /** Names with another meaning: as names of stores, they are only found at the beginning of a DSN. */
    private const WORDS = ['array', 'file', 'none', 'auto', 'tier', 'larder'];

    public function testNoOtherFileNamesAStore(): void
    {
        $found = [];
        foreach (self::files() as $file) {
            foreach (self::stores() as $folder => $pattern) {
                if (!str_starts_with($file, $folder) && !self::isAllowed($file) && ($names = self::names($pattern, (string) file_get_contents(self::ROOT . '/' . $file))) !== []) {
                    $found[] = \sprintf('%s names %s', $file, implode(', ', $names));
                }
            }
        }
        self::assertSame([], $found);
    }

    /** The control: names in code are found, those in comments and sentences are not. */
    public function testItFindsNames(): void
    {
        $pattern = implode('|', self::stores());
        self::assertSame(['redis'], self::names($pattern, '<?php $dsn = "redis://$host";'));
        self::assertSame(['RedisStore'], self::names($pattern, '<?php use Larder\Internal\Driver\Redis\RedisStore;'));
        self::assertSame(['mysql-memory'], self::names($pattern, "<?php match (\$store) { 'mysql-memory' => 1 };"));
        self::assertSame(['file://'], self::names($pattern, "<?php open('file:///tmp');"));
        self::assertSame([], self::names($pattern, "<?php throw new Exception('Try redis: or file:///tmp');"));
        self::assertSame([], self::names($pattern, "<?php // as redis does\nfile('array', \\Predis::class);"));
    }

    public function testAllowancesAreNeeded(): void
    {
        $pattern = implode('|', self::stores());
        foreach (array_keys(self::ALLOWED) as $allowed) {
            $code = implode('', array_map(
                static fn(string $file): string => str_starts_with($file, $allowed) ? (string) file_get_contents(self::ROOT . '/' . $file) : '',
                self::files(),
            ));
            self::assertNotSame([], self::names($pattern, $code), "$allowed names no store");
        }
    }

    /** @return array<string, non-empty-string> patterns of the names, by the store's folder */
    private static function stores(): array
    {
        $stores = [];
        foreach (Drivers::all() as $scheme => $driver) {
            $names = [];
            foreach ([$scheme, ...array_column($driver->variants(), 'name')] as $name) {
                $names[] = preg_quote($name, '~') . (\in_array($name, self::WORDS, true) ? '://' : '\b');
            }
            foreach ([$driver, ...$driver->variants()] as $part) {
                $class = $part instanceof Driver ? $part::class : $part->store;
                $names[] = preg_quote(substr((string) strrchr($class, '\\'), 1), '~') . '\b';
            }
            $file = (string) (new \ReflectionClass($driver))->getFileName();
            $folder = substr(\dirname($file), \strlen((string) realpath(self::ROOT)) + 1) . '/';
            usort($names, static fn(string $one, string $other): int => \strlen($other) <=> \strlen($one));
            $stores[$folder] = implode('|', [...(isset($stores[$folder]) ? [$stores[$folder]] : []), ...$names]);
        }

        return $stores;
    }

    private static function isAllowed(string $file): bool
    {
        return array_filter(array_keys(self::ALLOWED), static fn(string $allowed): bool => str_starts_with($file, $allowed)) !== [];
    }

    /**
     * @return list<string> names in the code, without comments, and without strings that contain a blank, which are
     *         sentences
     */
    private static function names(string $pattern, string $code): array
    {
        $bare = implode(' ', array_map(
            static fn(\PhpToken $token): string => $token->is([\T_COMMENT, \T_DOC_COMMENT, \T_INLINE_HTML]) || $token->is([\T_CONSTANT_ENCAPSED_STRING, \T_ENCAPSED_AND_WHITESPACE]) && str_contains($token->text, ' ') ? '' : $token->text,
            \PhpToken::tokenize($code),
        ));
        preg_match_all("~(?<![\\w\\\\-])(?:$pattern)|(?<=\\\\)(?:$pattern)~", $bare, $names);

        return array_values(array_unique($names[0]));
    }

    /** @return list<string> below the root, without the figures, which compare the library with the bare clients */
    private static function files(): array
    {
        $files = [];
        foreach (self::CODE as $folder) {
            foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(self::ROOT . '/' . $folder, \FilesystemIterator::SKIP_DOTS)) as $file) {
                $path = $file instanceof \SplFileInfo ? $file->getPathname() : '';
                if (str_ends_with($path, '.php') && !str_contains($path, 'Figures')) {
                    $files[] = substr($path, \strlen(self::ROOT) + 1);
                }
            }
        }
        sort($files);

        return $files;
    }
}
