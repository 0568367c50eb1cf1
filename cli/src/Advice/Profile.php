<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\System\PlainText;
use Larder\Internal\Decorator\Sampling\Recording;

/** How a program uses its cache. The file format is described in docs/measure.md; `larder sample --show` prints it. */
final class Profile
{
    private const FORMAT = 1;
    private const MOST_BYTES = 1 << 40;
    private const MOST = 1e9;

    /** Fields that may be left out, and their limits. */
    private const NUMBERS = [
        'read_share' => [0.0, 1.0], 'hit_rate' => [0.0, 1.0], 'operations_per_request' => [0.001, self::MOST],
        'requests_per_second' => [0.0, self::MOST],
        'machines' => [1, self::MOST], 'compute_ms' => [0.0, self::MOST], 'data_mb' => [0.0, self::MOST],
        'memory_mb' => [0.001, self::MOST], 'samples' => [0, self::MOST],
    ];

    /**
     * @param array<int, float> $strings share of all operations by the bytes of the string
     * @param array<int, float> $others by the bytes of the value when it is serialized
     * @param float $readShare gets among gets and sets
     * @param float $hitRate gets that find something, among gets
     * @param int|null $machines that share the cache; null when it is not known
     * @param string|null $store used today, as a report names it: "redis tcp"
     * @param float|null $computeMs time to compute a missing value
     * @param float|null $dataMb all values together
     * @param float|null $memoryMb that the cache may take
     * @param int|null $samples number of samples that the profile was recorded from
     */
    public function __construct(
        public readonly array $strings,
        public readonly array $others,
        public readonly float $readShare = 0.9,
        public readonly float $hitRate = 1.0,
        public readonly float $operationsPerRequest = 10.0,
        public readonly ?float $requestsPerSecond = null,
        public readonly ?int $machines = null,
        public readonly ?string $store = null,
        public readonly ?float $computeMs = null,
        public readonly ?float $dataMb = null,
        public readonly ?float $memoryMb = null,
        public readonly ?int $samples = null,
    ) {}

    /** @throws \RuntimeException which names the file, the field and what is wrong with it */
    public static function read(string $file): self
    {
        $text = is_dir($file) ? false : @file_get_contents($file);
        if ($text === false) {
            throw new \RuntimeException(\sprintf(
                '%s cannot be read. To make a profile: larder sample --show > %1$s, or as in docs/measure.md',
                $file,
            ));
        }

        try {
            return self::parse($text);
        } catch (\UnexpectedValueException $wrong) {
            throw new \RuntimeException(\sprintf('%s: %s', $file, $wrong->getMessage()), 0, $wrong);
        }
    }

    public static function of(Recording $recording): self
    {
        $sizes = ['string' => [], 'other' => []];
        $reads = $hits = $writes = 0.0;
        foreach ($recording->counts as $kind => $count) {
            [$operation, $type, $bin] = [...explode(' ', $kind), '', ''];
            $reads += $operation === 'write' ? 0.0 : $count;
            $hits += $operation === 'hit' ? $count : 0.0;
            $writes += $operation === 'write' ? $count : 0.0;
            if ($operation !== 'miss') {
                $bytes = self::middle((int) $bin);
                $sizes[$type][$bytes] = ($sizes[$type][$bytes] ?? 0.0) + $count;
            }
        }
        foreach ($sizes as $type => $counts) {
            ksort($counts);
            $sizes[$type] = array_map(
                static fn(float $count): float => round($count / max(1.0, $hits + $writes), 6),
                $counts,
            );
        }
        $seconds = $recording->until - $recording->since;

        return new self(
            $sizes['string'],
            $sizes['other'],
            round($reads / max(1.0, $reads + $writes), 6),
            round($hits / max(1.0, $reads), 6),
            $recording->requests > 0.0 ? round(($reads + $writes) / $recording->requests, 3) : 10.0,
            $seconds >= 1.0 ? round($recording->requests / $seconds, 3) : null,
            samples: $recording->samples,
        );
    }

    public function __toString(): string
    {
        $fields = array_filter([
            'format' => self::FORMAT,
            'machines' => $this->machines,
            'store' => $this->store,
            'requests_per_second' => $this->requestsPerSecond,
            'operations_per_request' => $this->operationsPerRequest,
            'read_share' => $this->readShare,
            'hit_rate' => $this->hitRate,
            'compute_ms' => $this->computeMs,
            'data_mb' => $this->dataMb,
            'memory_mb' => $this->memoryMb,
            'strings' => (object) $this->strings,
            'others' => (object) $this->others,
            'samples' => $this->samples,
        ], static fn(mixed $value): bool => $value !== null);

        return json_encode(
            $fields,
            \JSON_THROW_ON_ERROR | \JSON_PRETTY_PRINT | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE,
        );
    }

    private static function parse(string $text): self
    {
        $fields = json_decode($text, true);
        if (!\is_array($fields) || ($fields['format'] ?? null) !== self::FORMAT) {
            throw new \UnexpectedValueException(\sprintf('is not a JSON object with "format": %d', self::FORMAT));
        }
        $fields = PlainText::ofAll($fields);
        $unknown = array_diff(
            array_keys($fields),
            ['format', 'store', 'strings', 'others', ...array_keys(self::NUMBERS)],
        );
        if ($unknown !== []) {
            throw new \UnexpectedValueException(\sprintf(
                '%s is not known. Known: store, strings, others, %s',
                implode(', ', $unknown),
                implode(', ', array_keys(self::NUMBERS)),
            ));
        }
        $numbers = array_fill_keys(array_keys(self::NUMBERS), null);
        foreach (self::NUMBERS as $name => [$least, $most]) {
            $number = $fields[$name] ?? null;
            if (\array_key_exists($name, $fields) && (
                (!\is_int($number) && !\is_float($number)) || $number < $least || $number > $most
                || (\is_int($least) && !\is_int($number))
            )) {
                throw new \UnexpectedValueException(\sprintf('%s is not a number from %s to %s', $name, $least, $most));
            }
            $numbers[$name] = \is_int($number) || \is_float($number) ? (float) $number : null;
        }
        $store = $fields['store'] ?? null;
        if ($store !== null && !\is_string($store)) {
            throw new \UnexpectedValueException('store is not a string such as "redis tcp"');
        }
        [$strings, $others] = [self::sizes($fields, 'strings'), self::sizes($fields, 'others')];
        $sum = array_sum($strings) + array_sum($others);
        if ($sum <= 0.0) {
            throw new \UnexpectedValueException('has no sizes: "strings": {"200": 0.7}, "others": {"5000": 0.3}');
        }
        $share = static fn(float $part): float => $part / $sum;

        return new self(
            array_map($share, $strings),
            array_map($share, $others),
            $numbers['read_share'] ?? 0.9,
            $numbers['hit_rate'] ?? 1.0,
            $numbers['operations_per_request'] ?? 10.0,
            $numbers['requests_per_second'],
            $numbers['machines'] === null ? null : (int) $numbers['machines'],
            $store,
            $numbers['compute_ms'],
            $numbers['data_mb'],
            $numbers['memory_mb'],
            $numbers['samples'] === null ? null : (int) $numbers['samples'],
        );
    }

    /**
     * @param array<mixed> $fields
     * @return array<int, float>
     */
    private static function sizes(array $fields, string $name): array
    {
        $sizes = [];
        $given = $fields[$name] ?? [];
        foreach (\is_array($given) ? $given : [null] as $bytes => $share) {
            if (
                !\is_int($bytes) || $bytes < 0 || $bytes > self::MOST_BYTES || (!\is_int($share) && !\is_float($share))
                || $share < 0 || $share > self::MOST
            ) {
                throw new \UnexpectedValueException(\sprintf(
                    '%s is not a list of shares by size in bytes, such as {"200": 0.7, "5000": 0.3}',
                    $name,
                ));
            }
            $sizes[$bytes] = (float) $share;
        }
        ksort($sizes);

        return $sizes;
    }

    /** The middle of a bin of Recording. */
    private static function middle(int $bin): int
    {
        return $bin < 2 ? $bin : 3 << ($bin - 2);
    }
}
