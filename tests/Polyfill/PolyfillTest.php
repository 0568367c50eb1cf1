<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Polyfill;

use Larder\ProjectTests\Repository;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/** Compares the functions in PHP with those of the extension that they replace. */
final class PolyfillTest extends TestCase
{
    private const CALLS = 3_000;

    /**
     * Everything about the functions, constants and the class that callers can see, except for the files that define
     * them.
     */
    private const SIGNATURES = <<<'PHP'
        $describe = static fn(ReflectionFunctionAbstract $function): string => $function->getName() . '(' . implode(', ', array_map(
            static fn(ReflectionParameter $parameter): string => $parameter->getType() . ' ' . ($parameter->isPassedByReference() ? '&' : '') . '$' . $parameter->getName()
                . ($parameter->isOptional() ? ' = ' . var_export($parameter->getDefaultValue(), true) : ''),
            $function->getParameters(),
        )) . '): ' . ($function->getReturnType() ?? $function->getTentativeReturnType());
        $said = [];
        foreach (array_merge(...array_values(get_defined_functions())) as $name) {
            if (str_starts_with($name, 'larder_')) {
                $said[] = $describe(new ReflectionFunction($name));
            }
        }
        foreach (array_merge(...array_values(get_defined_constants(true))) as $name => $value) {
            if (str_starts_with($name, 'LARDER_')) {
                $said[] = "$name = $value";
            }
        }
        $class = new ReflectionClass(LarderIterator::class);
        $said[] = ($class->isFinal() ? 'final ' : '') . implode(', ', $class->getInterfaceNames());
        foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
            if (!in_array($method->getName(), ['__serialize', '__unserialize', '__set'], true)) {
                $said[] = $describe($method);
            }
        }
        foreach ([fn() => clone new LarderIterator(), fn() => serialize(new LarderIterator()), fn() => unserialize('O:14:"LarderIterator":0:{}'), static function (): void { $iterator = new LarderIterator(); $iterator->more = 1; }] as $refused) {
            try {
                $refused();
            } catch (Throwable $thrown) {
                $said[] = $thrown::class;
            }
        }
        $said[] = json_encode(array_map(static fn(mixed $part): mixed => is_array($part) ? array_keys($part) : get_debug_type($part), larder_info()));
        sort($said);
        echo implode("\n", $said);
        PHP;

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = '/dev/shm/larder-polyfill-' . getmypid();
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        (new Filesystem())->remove($this->folder);
    }

    public function testSignaturesAreThoseOfTheExtension(): void
    {
        $extension = $this->said('extension', ['-r', self::SIGNATURES]);
        self::assertStringContainsString('larder_fetch(string $key, mixed $default = NULL): mixed', $extension);
        self::assertSame($extension, $this->said('polyfill', ['-r', 'require "compat/polyfill/src/Memory.php"; require "compat/polyfill/src/Entry.php"; require "compat/polyfill/src/Arguments.php"; require "compat/polyfill/bootstrap.php";' . self::SIGNATURES]));
    }

    #[TestWith([1])]
    #[TestWith([2])]
    #[TestWith([3])]
    public function testRandomCallsGiveWhatTheExtensionGives(int $seed): void
    {
        $extension = $this->said('extension', $this->calls($seed));
        self::assertSame(self::CALLS, substr_count($extension, "\n"));
        self::assertSame($extension, $this->said('polyfill', $this->calls($seed)));
    }

    public function testRareValuesGiveWhatTheExtensionGives(): void
    {
        $code = <<<'PHP'
            require 'vendor/autoload.php';
            extension_loaded('larder') || require 'compat/polyfill/bootstrap.php';
            $closed = fopen('php://memory', 'r');
            fclose($closed);
            $holder = new stdClass();
            $holder->more = ['stream' => \STDERR, 'self' => $holder];
            $circle = ['zero' => 0];
            $circle['self'] = &$circle;
            $node = new stdClass();
            $node->of = [0, $node];
            $deep = [];
            for ($level = 0; $level < 5_000; ++$level) {
                $deep = [$deep];
            }
            foreach ([\STDERR, $closed, [0, [\STDERR]], $holder, $circle, $node, [0, new ArrayObject([0])], $deep] as $i => $value) {
                larder_store('k', 'old');
                try {
                    $said = larder_store('k', $value) ? 'stored' : 'refused';
                } catch (Exception $refusal) {
                    $said = $refusal->getMessage();
                }
                $fetched = larder_fetch('k');
                for ($depth = 0; $depth < 5_001 && is_array($fetched) && isset($fetched[0]); ++$depth) {
                    $fetched = $fetched[0];
                }
                echo $i, $said, get_debug_type($fetched), $depth, "\n";
            }
            larder_store('k', 'text');
            var_dump(larder_increment('k'), larder_last_error_msg());
            PHP;
        self::assertSame($this->said('extension', ['-r', $code]), $this->said('polyfill', ['-r', $code]));
    }

    public function testControlOneWrongFunctionIsFound(): void
    {
        self::assertNotSame($this->said('extension', $this->calls(1)), $this->said('polyfill', [...$this->calls(1), 'touch']));
    }

    public function testOneLineInTheLogWhenItIsUsed(): void
    {
        $silent = $this->start('polyfill', ['-r', 'require "vendor/autoload.php"; require "compat/polyfill/bootstrap.php";']);
        self::assertSame('', $silent->getErrorOutput());
        $used = $this->start('polyfill', ['-r', 'require "vendor/autoload.php"; require "compat/polyfill/bootstrap.php"; larder_store("a", 1); larder_fetch("a"); larder_clear();']);
        self::assertSame(1, substr_count($used->getErrorOutput(), 'larder/polyfill: the extension larder is not loaded.'));
    }

    public function testMemoryIsBounded(): void
    {
        $code = 'require "vendor/autoload.php"; require "compat/polyfill/bootstrap.php"; $value = str_repeat("v", 1_000_000);
            for ($i = 0; $i < 200; ++$i) { larder_store("k$i", $value . $i); }
            echo json_encode([larder_store("large", str_repeat("v", 5_000_000)), larder_last_error(), larder_exists("k0"), larder_exists("k199"), memory_get_usage() < 60e6, larder_info()["evictions"]["room"] > 100]);';
        self::assertSame('[false,1,false,true,true,true]', $this->said('polyfill', ['-r', $code]));
    }

    /** @return list<string> */
    private function calls(int $seed): array
    {
        return [__DIR__ . '/calls.inc', (string) $seed, (string) self::CALLS];
    }

    /** @param list<string> $arguments */
    private function said(string $which, array $arguments): string
    {
        return $this->start($which, $arguments)->getOutput();
    }

    /** @param list<string> $arguments */
    private function start(string $which, array $arguments): Process
    {
        $settings = $which === 'extension'
            ? ['-d', 'extension=' . Repository::ROOT . '/extension/modules/larder.so', '-d', 'larder.path=' . $this->folder, '-d', 'larder.size=16M']
            : [];

        return Repository::process([\PHP_BINARY, '-n', '-d', 'error_reporting=-1', '-d', 'display_errors=stdout', '-d', 'log_errors=0', ...$settings, ...$arguments])->mustRun();
    }
}
