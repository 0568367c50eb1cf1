<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Hosts of one web server that share workers, each with its own segment: larder.segment comes with the request. */
#[Group('proof')]
final class HostsTest extends EngineTestCase
{
    /** What a request of a host sees, before and after it stores. */
    private const REQUEST = <<<'PHP'
        $seen = [larder_fetch('host'), larder_info()['segment'], ini_get_all('larder', false)['larder.segment']];
        larder_store('host', 'HOST');
        $seen[] = larder_fetch('host');
        $seen[] = basename(larder_info()['path']);
        return $seen;
        PHP;

    /** @return iterable<string, array{string}> */
    public static function variables(): iterable
    {
        yield 'PHP_ADMIN_VALUE' => ['PHP_ADMIN_VALUE'];
        yield 'PHP_VALUE' => ['PHP_VALUE'];
    }

    #[DataProvider('variables')]
    public function testHostsOfOneWorkerAreSeparate(string $variable): void
    {
        $times = Proof::amount(60, 3_000);
        Proof::record('neighbours.hosts', $times, 'requests of four hosts, one after the other in any order in one worker of FPM, each with a segment of its own', $this->inOneWorker($this->sandbox->fpm(), $variable, $times));
        self::assertCount(4, $this->sandbox->segments());
    }

    /** PHP's ini scanner turns an unquoted `none` into an empty setting. */
    public function testEmptyListOfClassesAllowsNoneWhereverItIsSet(): void
    {
        $look = 'larder_store("object", new \ArrayObject()); return [ini_get_all("larder", false)["larder.classes"], larder_fetch("object") !== null];';
        $expected = ['none' => ['', false], 'nothing' => ['nothing', false], 'ArrayObject' => ['ArrayObject', true]];
        $pools = array_map(static fn(string $word): PhpFpmPool => new PhpFpmPool($word, ['larder.classes' => $word], User::site()->name), array_keys($expected));
        $fpm = $this->sandbox->fpm([...$pools, new PhpFpmPool(user: User::site()->name)]);
        foreach ($expected as $word => $seen) {
            self::assertSame($seen, $fpm->pool($word)->run($look), "an FPM pool, $word");
            self::assertSame($seen, $fpm->pool('www')->runWith($look, ['PHP_ADMIN_VALUE' => "larder.classes=$word"]), "a request, $word");
            $server = $this->sandbox->cgiServer(0, options: ['-c', $this->sandbox->write("$word.ini", "larder.classes = $word\n")]);
            self::assertSame($seen, $server->run($look), "php.ini, $word");
        }
    }

    public function testHostsOfOneWorkerShareASegmentWithoutTheCheck(): void
    {
        $this->useCarelessBuild();
        Proof::control('neighbours.hosts', 'a build in which the name stays in the worker that it came to', 60, $this->inOneWorker($this->sandbox->fpm(), 'PHP_ADMIN_VALUE', 60));
    }

    private function inOneWorker(Fpm $fpm, string $variable, int $times): int
    {
        $stored = [];
        $failed = 0;
        $workers = [];
        for ($i = 0; $i < $times; ++$i) {
            $host = ['one', 'two', 'three', 'default'][($i * 7 + intdiv($i, 3)) % 4];
            // The last host sets none, so it gets the pool's.
            $parameters = $host === 'default' ? [] : [$variable => "larder.segment=$host"];
            $seen = $fpm->runWith(strtr(self::REQUEST, ['HOST' => "of $host"]), $parameters);
            self::assertIsArray($seen);
            self::assertIsString($seen[4]);
            $failed += [...\array_slice($seen, 0, 4), strstr($seen[4], '-', true)] === [$stored[$host] ?? null, $host, $host, "of $host", $host] ? 0 : 1;
            $stored[$host] = "of $host";
            $workers[$fpm->pid()] = true;
        }
        self::assertCount(1, $workers);

        return $failed;
    }

    public function testAttachedSegmentsOfAWorkerAreBounded(): void
    {
        $fpm = $this->sandbox->fpm();
        $inode = 'larder_store("value", 1); return [larder_info()["age"] >= 0, larder_info()["processes"]["attached"]];';
        for ($i = 0; $i < 20; ++$i) {
            self::assertSame([true, 1], $fpm->runWith($inode, ['PHP_ADMIN_VALUE' => "larder.segment=host-$i"]));
        }
        $held = array_filter($this->sandbox->heldBy($fpm->pid()), static fn(string $line): bool => str_contains($line, ' rw-s '));
        self::assertCount(16, $held, implode("\n", $held));
        for ($i = 0; $i < 20; ++$i) {
            self::assertSame(1, $fpm->runWith('return larder_fetch("value");', ['PHP_ADMIN_VALUE' => "larder.segment=host-$i"]));
        }
    }

    public function testHostWithAnInvalidNameHasNoCache(): void
    {
        $fpm = $this->sandbox->fpm();
        $fpm->run('larder_store("value", "of the pool");');
        $look = 'return [larder_fetch("value"), larder_store("value", 1), larder_info()["available"], larder_info()["reason"]];';
        foreach (['', '../other', 'a b', str_repeat('a', 65)] as $name) {
            $seen = $fpm->runWith($look, ['PHP_ADMIN_VALUE' => "larder.segment=\"$name\""]);
            self::assertIsArray($seen);
            self::assertSame([null, false, false], \array_slice($seen, 0, 3), $name);
            self::assertIsString($seen[3]);
            self::assertStringStartsWith('larder.segment must be ', $seen[3]);
        }
        self::assertSame('of the pool', $fpm->run('return larder_fetch("value");'));
    }

    public function testIniSectionSelectsTheHostsSegment(): void
    {
        $ini = $this->sandbox->write('hosts.ini', "[HOST=one.example]\nlarder.segment=one\n[HOST=two.example]\nlarder.segment=two\n");
        $server = $this->sandbox->cgiServer(0, options: ['-c', $ini]);
        for ($i = 0; $i < 5; ++$i) {
            foreach (['one.example' => 'one', 'two.example' => 'two', 'three.example' => 'default'] as $host => $segment) {
                $seen = $server->runWith(strtr(self::REQUEST, ['HOST' => $host]), ['SERVER_NAME' => $host]);
                self::assertIsArray($seen);
                self::assertSame([$i === 0 ? null : $host, $segment, $segment, $host], \array_slice($seen, 0, 4));
            }
        }
    }

    public function testApacheVirtualHostsAreSeparate(): void
    {
        if (!Apache::isInstalled()) {
            self::markTestSkipped('Apache has no module for this PHP; run dev/setup test');
        }
        $apache = $this->sandbox->apache([
            'one.example' => 'php_admin_value larder.segment one',
            'two.example' => "php_admin_value larder.segment two\nphp_admin_value larder.size 16M",
            'three.example' => '',
        ]);
        $workers = [];
        for ($i = 0; $i < 10; ++$i) {
            foreach (['one.example' => 'one', 'two.example' => 'two', 'three.example' => 'default'] as $host => $segment) {
                $seen = $apache->ask($host, strtr(self::REQUEST, ['HOST' => $host]));
                self::assertIsArray($seen);
                self::assertSame([$i === 0 ? null : $host, $segment, $segment, $host], \array_slice($seen, 0, 4));
                $pid = $apache->ask($host, 'return getmypid();');
                self::assertIsInt($pid);
                $workers[$pid] = true;
            }
        }
        self::assertCount(1, $workers);
        self::assertCount(3, $this->sandbox->segments());

        // A user who may only write a .htaccess cannot reach the cache of another host.
        $this->sandbox->write('.htaccess', "php_value larder.segment two\nphp_value precision 9\n");
        self::assertSame(['9', 'one'], $apache->ask('one.example', 'return [ini_get("precision"), larder_info()["segment"]];'));
        $this->sandbox->write('.htaccess', "php_admin_value larder.segment two\n");
        $this->expectException(PhpFailed::class); // Apache refuses the whole file
        $apache->ask('one.example', 'return larder_info()["segment"];');
    }

    public function testFolderOrScriptCannotChangeTheSegment(): void
    {
        $folder = \dirname($this->sandbox->write('.user.ini', "precision=9\nlarder.segment=other\n"));
        $fpm = $this->sandbox->fpm();
        $look = 'set_error_handler(static function (int $type, string $text): bool { $GLOBALS["text"] = $text; return true; }); return [ini_get("precision"), ini_get("larder.segment"), ini_set("larder.segment", "other"), $GLOBALS["text"] ?? "", larder_info()["segment"]];';
        self::assertSame(
            ['9', 'one', false, 'larder.segment cannot be changed by a script, .user.ini or .htaccess; set it in php.ini, the FPM pool or the virtual host', 'one'],
            $fpm->runWith($look, ['DOCUMENT_ROOT' => $folder, 'PHP_VALUE' => 'larder.segment=one']),
        );
    }
}
