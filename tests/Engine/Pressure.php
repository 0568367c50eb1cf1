<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/**
 * A command line process that repeatedly overwrites and deletes the values under test and evicts everything else, as
 * long as the sandbox exists. The size of a file is its number of rounds.
 */
final class Pressure
{
    /**
     * After this many rounds, all deleted or overwritten values that are not held have been overwritten. Pages that
     * were held are counted and reused only after this many seconds.
     */
    public const ROUNDS = 3;
    public const SECONDS = 0.11;

    /** The values under test, built from a number so that a change is noticed. Both sides load this. */
    private const VALUES = <<<'PHP'
        <?php
        function make(string $name, int $n): mixed {
            return match ($name) {
                'string' => "$n " . str_repeat("string $n ", 300),
                'long string' => "$n " . str_repeat("long string $n ", 20_000),
                'array' => ['n' => $n, 'text' => str_repeat("text $n ", 100), 'rows' => array_map(fn($i) => ['id' => "row $n $i", 'on' => true, 'at' => $i / 2], range(1, 50)), 5 => "five $n"],
                'list' => array_map(fn($i) => "element $n $i", range(0, 200)),
                'class' => 'HeldClassOfALongName',
                'function' => 'held_function_of_a_long_name',
                'constant' => 'HELD_CONSTANT_OF_A_LONG_NAME',
                'scheme' => 'held-scheme-of-a-long-name',
                'filter' => 'held.filter.of.a.long.name',
                'regex' => '/^string \d+ string (\d+) (?<rest>held)?/u',
                'path' => __FILE__ . '.included.php',
                'code' => 'return ["evaluated", HeldClassOfALongName::class, "a literal of the code"];',
            };
        }
        const NAMES = ['string', 'long string', 'array', 'list', 'class', 'function', 'constant', 'scheme', 'filter', 'regex', 'path', 'code'];
        PHP;

    private const LOOP = <<<'PHP'
        require 'VALUES';
        for ($n = 1;; ++$n) {
            foreach (NAMES as $name) {
                larder_store($name, make($name, $n));
            }
            for ($i = 0; $i < 2_200; ++$i) {
                larder_store("pressure $i", str_repeat(chr(33 + ($n + $i) % 90), 2_000));
            }
            foreach (NAMES as $name) {
                $n % 2 === 0 || larder_delete($name);
            }
            for (; $i < 4_400; ++$i) {
                larder_store("pressure $i", str_repeat(chr(33 + ($n + $i) % 90), 2_000));
            }
            file_put_contents('COUNT', '.', FILE_APPEND);
        }
        PHP;

    /** @param string $values a PHP file: make() builds a value under test, NAMES lists them */
    private function __construct(
        public readonly string $values,
        public readonly string $count,
    ) {}

    public static function start(Sandbox $sandbox): self
    {
        $folder = $sandbox->folder();
        $values = $sandbox->write('values.php', self::VALUES);
        $sandbox->write('values.php.included.php', '<?php return ["included", __FILE__];');
        $sandbox->commandLine()->begin(strtr(self::LOOP, ['VALUES' => $values, 'COUNT' => "$folder/count"]));
        $pressure = new self($values, "$folder/count");
        $pressure->wait();

        return $pressure;
    }

    /** Waits until all memory that is not held has been overwritten. */
    public function wait(): void
    {
        usleep((int) (self::SECONDS * 1e6));
        $now = $this->rounds();
        Wait::until(fn(): bool => $this->rounds() >= $now + self::ROUNDS, 'other values were stored');
    }

    private function rounds(): int
    {
        clearstatcache();

        return is_file($this->count) ? (int) filesize($this->count) : 0;
    }
}
