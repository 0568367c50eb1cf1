<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\Group;

/** Not one byte of a deleted value is ever fetched again, even from the memory where it was. */
#[Group('proof')]
final class LeftoversTest extends EngineTestCase
{
    /**
     * Secrets consist of bytes that occur nowhere else. There are all kinds of values, each removed in one of four
     * ways.
     */
    private const STORE_AND_DELETE_SECRETS = <<<'PHP'
        $secret = static function (int $length): string {
            for ($bytes = ''; strlen($bytes) < $length; $bytes .= pack('q', random_int(0, PHP_INT_MAX))); // unlike each other
            return substr($bytes, 0, $length) | str_repeat("\xE0", $length);
        };
        for ($i = 0; $i < 1_500; ++$i) {
            $long = $secret($i % 100 === 0 ? 100_000 : 20 + $i * 7 % 6_000);
            larder_store("secret $i", match ($i % 3) {
                0 => $long,
                1 => [$secret(20) => $long, 'list' => [1.5, $secret(9), [$secret(300)]]],
                2 => (object) ['property' => $long],
            }, $i % 4 === 2 ? 0.001 : 0);
            match ($i % 4) {
                0 => larder_delete("secret $i"),
                1 => larder_store("secret $i", null),
                2 => null, // expires
                3 => larder_delete_multiple(["secret $i"]),
            };
        }
        larder_store($secret(200), $secret(200));
        larder_clear();
        return true;
        PHP;

    /**
     * Stores values of all kinds, fetches them in all ways and searches the results; returns the number of bytes and
     * finds.
     */
    private const SEARCH = <<<'PHP'
        $values = static fn(int $i): array => [
            'string' => substr('a value that is not secret', 0, 1 + $i % 25), 'medium' => str_repeat('medium ', $i % 400), 'long' => str_repeat('long ', 10_000 + $i),
            'list' => range(0, $i % 50), 'map' => ['a' => [1, 2.5, null, true], 'b' => str_repeat('b', $i % 30)], 'object' => (object) ['p' => [$i, 'text']],
            'number' => $i, 'float' => $i / 3, 'null' => null, 'empty' => '', 'nothing' => [],
        ];
        $bytes = $found = $wrong = $missed = 0;
        $search = static function (mixed $value) use (&$bytes, &$found): void {
            foreach ([serialize($value), var_export($value, true), is_string($value) ? strrev($value) . $value . bin2hex($value) : json_encode($value)] as $seen) {
                $bytes += strlen($seen);
                $found += preg_match_all('/[\xE0-\xFF]+/', $seen);
            }
        };
        for ($i = 0; $i < ROUNDS; ++$i) {
            $all = $values($i);
            unset($all[array_rand($all)]);
            foreach ($all as $name => $value) {
                larder_store("$name $i", $value);
            }
            larder_touch("string $i", 3_600);
            ini_set('larder.zero_copy', (string) ($i % 2));
            foreach ($all as $name => $value) {
                $fetched = larder_fetch("$name $i");
                $missed += $fetched === null && $value !== null;
                $wrong += $fetched !== null && $fetched != $value;
                $search($fetched);
                if (is_array($fetched)) {
                    $fetched[] = 'more'; // what PHP makes of it is its own copy
                    unset($fetched[0]);
                    $search($fetched);
                }
            }
            $search(larder_fetch_multiple(["string $i", "map $i", 'secret ' . $i % 1_500]));
            $search(larder_fetch('secret ' . $i % 1_500));
            $i % 100 === 0 && $search(larder_info());
        }
        return [$bytes, $found, $wrong, $missed];
        PHP;

    public function testDeletedBytesAreNeverVisible(): void
    {
        $fpm = $this->sandbox->fpm();
        $rounds = Proof::amount(2, 100);
        $bytes = $found = 0;
        for ($round = 0; $round < $rounds; ++$round) {
            self::assertTrue($fpm->run(self::STORE_AND_DELETE_SECRETS));
            $inMemory = $this->secretsInMemory();
            /** @var array{int, int, int, int} $seen */
            $seen = $fpm->run(strtr(self::SEARCH, ['ROUNDS' => '300']));
            self::assertSame(0, $seen[2], 'values that are not what was stored');
            self::assertLessThan(10, $seen[3], 'the control: nearly all that was stored was fetched');
            $bytes += $seen[0];
            $found += $seen[1];
        }
        Proof::record('leftovers.deleted', $bytes, 'bytes that were fetched after secrets had been deleted', $found);
        Proof::control('leftovers.deleted', 'the bytes of the memory itself', $this->sandbox::SIZE, $inMemory ?? 0);
        self::assertGreaterThan(0, $this->secretsInMemory(), 'the control: while values were fetched, secrets were there');
    }

    private function secretsInMemory(): int
    {
        [$segment] = $this->sandbox->segments();

        return (int) preg_match_all('/[\xE0-\xFF]{9,}/', (string) file_get_contents($segment));
    }
}
