<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/**
 * A value of the published studies, under its name there: twelve strings and an array of the 2013 study, and the array
 * of 50 x 50 of the 2016 study.
 */
final class Value
{
    private const STRINGS = [
        '10b' => 10, '0.1k' => 100, '0.3k' => 300, '0.5k' => 500, '1k' => 1_000, '2k' => 2_000, '4k' => 4_000,
        '8k' => 8_000, '16k' => 16_000, '32k' => 32_000, '64k' => 64_000, '128k' => 128_000,
    ];

    /** Number of digits at the start of a string, which make its variants different. */
    private const MARK = 8;

    /**
     * @param int $bytes length of a string; of an array, its length after serialize()
     * @param \Closure(int): mixed $make
     */
    public function __construct(
        public readonly string $name,
        public readonly bool $isArray,
        public readonly int $bytes,
        private readonly \Closure $make,
    ) {}

    /** @return non-empty-array<string, self> by name */
    public static function all(): array
    {
        $values = [];
        foreach (self::STRINGS as $name => $bytes) {
            $filler = self::text($bytes - self::MARK);
            $values[$name] = new self(
                $name,
                false,
                $bytes,
                static fn(int $variant): string => \sprintf('%0' . self::MARK . 'x', $variant) . $filler,
            );
        }
        $values['array of 4'] = self::array('array of 4', static fn(int $variant): array => [
            '1111111110', 'id2' => 'hello world', 'id3' => 'foo bar', 'id4' => 42 + $variant,
        ]);
        $values['50 x 50 array'] = self::array('50 x 50 array', self::square(...));

        return $values;
    }

    /**
     * The value, created at each call, so that its hash is not computed yet and no other variable holds it.
     *
     * @param int $variant from 0; values of different variants differ
     */
    public function make(int $variant): mixed
    {
        return ($this->make)($variant);
    }

    /** @param \Closure(int): mixed $make */
    private static function array(string $name, \Closure $make): self
    {
        return new self($name, true, \strlen(serialize($make(0))), $make);
    }

    /**
     * 50 rows of 50 numbers below 100. About this array the study only reports that it has about 20 kB when serialized.
     *
     * @return list<list<int>>
     */
    private static function square(int $variant): array
    {
        $rows = [];
        for ($row = 0; $row < 50; ++$row) {
            $cells = [];
            for ($column = 0; $column < 50; ++$column) {
                $cells[] = (50 * $row + $column) % 100;
            }
            $rows[] = $cells;
        }
        $rows[0][0] = $variant;

        return $rows;
    }

    /** Always the same letters and digits, in random order, so that compression finds no pattern. */
    private static function text(int $bytes): string
    {
        $text = '';
        for ($i = 0; \strlen($text) < $bytes; ++$i) {
            $text .= rtrim(base64_encode(hash('sha256', (string) $i, true)), '=');
        }

        return substr($text, 0, $bytes);
    }
}
