<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Engine;

use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** larder: on a machine without the extension, by the package larder/polyfill. */
final class PolyfillTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../../..';

    public function testDsnOpensAnArrayThatSaysWhatItIs(): void
    {
        self::assertSame(
            ['value', false, [], 'larder', true, 'this process alone, by larder/polyfill'],
            $this->json('require "compat/polyfill/bootstrap.php";
            $cache = Larder\Cache::open("larder:shop");
            $cache->set("key", "value");
            $other = Larder\Cache::open("larder:?namespace=other");
            $chosen = $cache->explain()[0];
            echo json_encode([$cache->get("key"), $other->has("key"), $other->getMany([]), $chosen->scheme, $chosen->isChosen, $chosen->whose]);'),
        );
    }

    public function testAutoDoesNotChooseIt(): void
    {
        self::assertSame([false], $this->json('require "compat/polyfill/bootstrap.php";
            foreach (Larder\Cache::open("auto:")->explain() as $candidate) {
                if ($candidate->scheme === "larder") { echo json_encode([$candidate->isChosen]); }
            }'));
    }

    public function testWithoutItTheExtensionIsMissing(): void
    {
        self::assertSame(['larder: the PHP extension larder is not loaded'], $this->json('
            try { Larder\Cache::open("larder:"); } catch (Larder\Exception\StoreUnavailable $none) { echo json_encode([explode(". ", $none->getMessage())[0]]); }'));
    }

    private function json(string $code): mixed
    {
        $process = new Process([
            \PHP_BINARY,
            '-n',
            '-d',
            'extension=posix',
            '-d',
            'log_errors=0',
            '-r',
            'require "vendor/autoload.php";' . $code,
        ], self::ROOT);

        return json_decode($process->mustRun()->getOutput(), true);
    }
}
