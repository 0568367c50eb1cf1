<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * A process that changes its user loses the first user's cache, except for values that it holds, and gets the second
 * user's.
 */
#[Group('proof')]
final class UserChangeTest extends EngineTestCase
{
    /**
     * Ways to change the effective user: with PHP's function, or without PHP noticing, like an extension or a server.
     */
    private const WAYS = [
        'by posix_seteuid()' => 'posix_seteuid(USER);',
        'by the C library' => '\FFI::cdef("int seteuid(unsigned);")->seteuid(USER);',
    ];

    protected function setUp(): void
    {
        parent::setUp();
        self::needsRoot();
    }

    /** @return iterable<string, array{string}> */
    public static function ways(): iterable
    {
        foreach (self::WAYS as $name => $code) {
            yield $name => [$code];
        }
    }

    #[DataProvider('ways')]
    public function testChangedUserSeesOnlyItsOwnValues(string $way): void
    {
        $times = Proof::amount(10, 500);
        Proof::record('neighbours.requests', 2 * $times, 'requests to one php-cgi that changed its user between them: none could read or change what the other user had stored', $this->betweenRequests($way, $times));
    }

    public function testChangedUserSeesOtherValuesWithoutTheCheck(): void
    {
        $this->useCarelessBuild();
        Proof::control('neighbours.requests', 'a build in which the user is looked at when a process attaches, and never again', 8, $this->betweenRequests(self::WAYS['by the C library'], 4));
    }

    private function betweenRequests(string $way, int $times): int
    {
        $server = $this->sandbox->cgiServer(0, User::current(), ['ffi.enable' => '1']);
        $site = User::site()->id;
        $thenBecome = static fn(int $user): string => \sprintf('register_shutdown_function(static function () { %s });', strtr($way, ['USER' => (string) $user]));
        $failed = 0;
        for ($i = 0; $i < $times; ++$i) {
            $server->run("larder_store('secret', 'of root $i'); \$held = larder_fetch('secret');" . $thenBecome($site));
            $seen = $server->run('$seen = [posix_geteuid(), larder_fetch("secret"), larder_exists("secret"), larder_store("mine", "of the site"), larder_info()["path"]]; larder_delete("secret");' . $thenBecome(0) . 'return $seen;');
            self::assertIsArray($seen);
            self::assertSame($site, $seen[0], 'the control: it has another user');
            $failed += [null, false, true] === \array_slice($seen, 1, 3) && $seen[4] === $this->sandbox->segments()[0] ? 0 : 1;
            $failed += $server->run('return [posix_geteuid(), larder_fetch("secret"), larder_fetch("mine")];') === [0, "of root $i", null] ? 0 : 1;
        }

        return $failed;
    }

    /** @return iterable<string, array{string}> */
    public static function drops(): iterable
    {
        yield 'for good' => ['posix_setgid(USER); posix_setuid(USER);'];
        yield 'for a time' => ['posix_seteuid(USER);'];
        yield 'in a fork' => ['$GLOBALS["child"] = pcntl_fork(); if ($GLOBALS["child"] > 0) { pcntl_waitpid($GLOBALS["child"], $status); exit(pcntl_wexitstatus($status)); } \FFI::cdef("int setuid(unsigned);")->setuid(USER);'];
        yield 'behind the back of PHP' => ['\FFI::cdef("int setuid(unsigned);")->setuid(USER); usleep(10_000); for ($i = 0; $i < 16; ++$i) { larder_exists("anything"); }'];
    }

    #[DataProvider('drops')]
    public function testDaemonThatDropsPrivilegesLosesRootsCache(string $drop): void
    {
        Proof::record('neighbours.daemons', 5, 'things of root that a daemon no longer has when it gave its privileges up: its values, a writable mapping, descriptors; and what it held stayed', $this->daemon($drop));
    }

    public function testDaemonKeepsRootsCacheWithoutTheCheck(): void
    {
        $this->useCarelessBuild();
        Proof::control('neighbours.daemons', 'a build in which the user is looked at when a process attaches, and never again', 5, $this->daemon('posix_setgid(USER); posix_setuid(USER);'));
    }

    private function daemon(string $drop): int
    {
        $site = User::site();
        $daemon = $this->sandbox->commandLine(User::current(), ['ffi.enable' => '1']);
        $daemon->run('larder_store("secret", str_repeat("of root ", 1_000)); larder_store("counter", 1); $held = larder_fetch("secret"); $array = [$held];');
        $roots = $this->sandbox->segmentFolder(User::current());
        self::assertStringContainsString(' rw-s ', implode("\n", $this->held($daemon, $roots)), 'the control');

        $daemon->run(strtr($drop, ['USER' => (string) $site->id]));
        self::assertSame($site->id, $daemon->run('return posix_geteuid();'));
        $failed = 0;
        $failed += $daemon->run('return [larder_fetch("secret"), larder_fetch("counter"), larder_increment("counter")];') === [null, null, 1] ? 0 : 1;
        $failed += $daemon->run('return larder_store("mine", "of the site");') === true ? 0 : 1;
        $failed += $daemon->run('return larder_info()["user"];') === $site->id ? 0 : 1;
        $failed += array_filter($this->held($daemon, $roots), static fn(string $line): bool => preg_match('/ (r--s|---s) /', $line) === 0) === [] ? 0 : 1;
        $failed += $this->sandbox->commandLine(User::current())->run('return [larder_fetch("counter"), larder_fetch("mine")];') === [1, null] ? 0 : 1;
        self::assertTrue($daemon->run('return $array === [str_repeat("of root ", 1_000)] && $held === $array[0];'));
        $other = $this->sandbox->commandLine($site);
        $failed += $other->run('return [larder_fetch("mine"), larder_fetch("counter")];') === ['of the site', 1] ? 0 : 1;

        return $failed;
    }

    #[DataProvider('drops')]
    public function testNoMappingOfTheFirstUserCanBecomeWritable(string $drop): void
    {
        $site = User::site();
        $daemon = $this->sandbox->commandLine(User::current(), ['ffi.enable' => '1']);
        $daemon->run('larder_store("secret", str_repeat("of root ", 1_000)); $held = larder_fetch("secret");');
        $daemon->run(strtr($drop, ['USER' => (string) $site->id]));
        self::assertNull($daemon->run('return larder_fetch("secret");'));
        $mappings = $this->held($daemon, $this->sandbox->segmentFolder(User::current()));
        self::assertNotEmpty($mappings);
        foreach ($mappings as $line) {
            self::assertSame(1, preg_match('/^([0-9a-f]+)-([0-9a-f]+) /', $line, $match), "$line: a descriptor");
            [$begin, $end] = [hexdec($match[1]), hexdec($match[2])];
            $protect = \sprintf('return \FFI::cdef("int mprotect(unsigned long, unsigned long, int);")->mprotect(%d, %d, 3);', $begin, $end - $begin);
            self::assertSame(-1, $daemon->run($protect), $line);
        }
        self::assertTrue($daemon->run('return $held === str_repeat("of root ", 1_000);'));
    }

    public function testNextUserIsNotRefused(): void
    {
        $site = User::site()->id;
        $folder = $this->sandbox->segmentFolder(User::site());
        self::assertTrue(is_dir($folder) || mkdir($folder, 0o700, true));
        self::assertTrue(chown($folder, 0), 'so that the user can have no cache');
        $seen = $this->sandbox->commandLine(User::current())->run(
            "posix_seteuid($site); \$seen = [larder_store('a', 'of the site')]; posix_seteuid(0); return [...\$seen, larder_store('a', 'of root'), larder_fetch('a')];",
        );
        self::assertSame([false, true, 'of root'], $seen);
    }

    /** @return list<string> */
    private function held(CommandLine $daemon, string $folder): array
    {
        return Processes::holds($daemon->number('return getmypid();'), "$folder/");
    }
}
