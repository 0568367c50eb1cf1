<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Apcu;

use Larder\ProjectTests\Engine\Proof;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Compares the module apcu of the engine with APCu itself: the same calls, in two processes. */
final class DifferentialTest extends TestCase
{
    public function testRandomCallsAreAnsweredAsByApcu(): void
    {
        $seed = random_int(1, 1_000_000_000);
        $calls = Proof::amount(20_000, 1_000_000);

        self::assertSame(['', $calls], self::difference(Peer::larder(), $seed, $calls), "seed $seed");
    }

    public function testBrokenBuildIsNoticed(): void
    {
        [$difference] = self::difference(Peer::larder('apcu-careless'), 1, 20_000);

        self::assertStringContainsString('fetchMany', $difference);
    }

    /** @return array{string, int} the first call with different answers, or '', and the number of calls until then */
    private static function difference(Peer $peer, int $seed, int $calls): array
    {
        $arguments = [__DIR__ . '/calls.php', (string) $seed, (string) $calls];
        $apcus = Peer::apcu()->lines($arguments);
        $ours = $peer->lines($arguments);
        $made = 0;
        for (; $apcus->valid() || $ours->valid(); $made++) {
            $expected = $apcus->valid() ? $apcus->current() : 'has ended';
            $answer = $ours->valid() ? $ours->current() : 'has ended';
            if ($expected !== $answer) {
                return ["call $made\nAPCu: $expected\nhere: $answer", $made];
            }
            $apcus->next();
            $ours->next();
        }

        return ['', $made];
    }

    /** @return iterable<string, array{string}> */
    public static function snippets(): iterable
    {
        yield 'signatures' => [<<<'PHP'
            foreach ((new ReflectionExtension('apcu'))->getFunctions() as $function) {
                echo $function;
            }
            echo preg_replace('/@@.*|, prototype Iterator/', '', (string) new ReflectionClass('APCUIterator'));
            PHP];
        yield 'constants' => [<<<'PHP'
            $constants = (new ReflectionExtension('apcu'))->getConstants() ?: get_defined_constants(true)['apcu'];
            ksort($constants);
            var_dump(array_filter($constants, fn($name) => preg_match('/^APC_(ITER|LIST)_/', $name), ARRAY_FILTER_USE_KEY));
            PHP];
        yield 'settings' => [<<<'PHP'
            foreach (array_diff_key(ini_get_all('apcu'), ['apc.mmap_hugepage_size' => 1, 'apc.shm_segments' => 1]) as $name => $setting) {
                // the default of entries_hint was another one before 5.1.25, and the two that are left out came and went
                echo $name, ' ', $name === 'apc.entries_hint' ? '' : var_export($setting['global_value'], true), ' ', $setting['access'], "\n";
            }
            PHP];
        yield 'lifetimes in seconds' => [<<<'PHP'
            apcu_store('short', 1, 1);
            apcu_store('long', 1, 60);
            apcu_inc('counter', 5, $success, 1);
            apcu_entry('made', fn() => 'first', 1);
            usleep(2_100_000);
            var_dump(apcu_fetch('short'), apcu_fetch('long'), apcu_exists(['short', 'long', 'counter']), apcu_add('short', 2), apcu_inc('counter'));
            var_dump(apcu_entry('made', fn() => 'second'), array_keys(iterator_to_array(new APCUIterator('/^long/'))));
            PHP];
        yield 'properties of a subclass' => [<<<'PHP'
            class Mine extends APCUIterator { public $own = 5; public function key(): string { return 'my ' . parent::key(); } }
            apcu_store('a', 1);
            foreach (new Mine('/a/', APC_ITER_VALUE) as $key => $item) { var_dump($key, $item, (new Mine())->own); }
            var_dump(new Mine('/a/'), new APCUIterator());
            PHP];
        yield 'loops' => [<<<'PHP'
            class Unmade extends APCUIterator { public function __construct() {} }
            class Counting extends APCUIterator { public int $steps = 0; public function next(): void { $this->steps++; parent::next(); } }
            function items() { yield from new APCUIterator('/^a/', APC_ITER_VALUE); }
            apcu_store('a', 1);
            foreach (items() as $key => $item) { var_dump($key, $item); }
            var_dump(iterator_count(new APCUIterator()), iterator_to_array(new IteratorIterator(new APCUIterator('/a/', APC_ITER_KEY))), [...new APCUIterator('/a/', APC_ITER_TTL)]);
            foreach ($counting = new Counting('/a/') as $item) {}
            var_dump($counting->steps);
            foreach ([fn() => new Unmade(), fn() => new APCUIterator('/none/')] as $make) {
                try {
                    foreach ($make() as $item) { echo "an item\n"; }
                    foreach ($make() as &$item) { echo "an item\n"; }
                } catch (Error $error) {
                    echo get_class($error), ' ', $error->getMessage(), "\n";
                }
            }
            foreach ($outer = new APCUIterator('/a/', APC_ITER_KEY) as $item) {
                foreach ($outer as $same) { var_dump($same); }
                var_dump($outer->valid());
            }
            PHP];
    }

    #[DataProvider('snippets')]
    public function testSnippetsSayTheSame(string $code): void
    {
        self::assertSame(Peer::apcu()->says($code), Peer::larder()->says($code));
    }
}
