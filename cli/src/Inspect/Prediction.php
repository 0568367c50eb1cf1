<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Symfony\Component\Console\Helper\Helper;

/** The share of gets that would hit in segments of other sizes, as the engine predicts it from the latest gets. */
final class Prediction
{
    /** Share of the gets that a doubling must gain. Predictions err by 0.02 for it, by 0.04 for four times. */
    private const WORTH = 0.03;
    private const NEARLY = 0.01;

    /** @param list<array{size: int, hit_rate: float}> $sizes the smallest first, with the segment's own */
    private function __construct(
        public readonly array $sizes,
        private readonly int $size,
        private readonly float $hitRate,
    ) {}

    /** @return self|null null: the engine has seen too little, or was built before it could predict */
    public static function read(): ?self
    {
        /** @var array{size?: int} $info */
        $info = larder_info(false);

        return \function_exists('larder_predict') ? self::of(larder_predict(), $info['size'] ?? 0) : null;
    }

    /**
     * @param list<array{size: int, hit_rate: float}> $predicted by larder_predict()
     * @param int $size bytes of the segment
     */
    public static function of(array $predicted, int $size): ?self
    {
        $hitRate = array_column($predicted, 'hit_rate', 'size')[$size] ?? null;

        return $hitRate === null ? null : new self($predicted, $size, $hitRate);
    }

    /** @return int|null bytes of the smallest size that gains nearly the most; null: no more memory is worth it */
    public function wanted(): ?int
    {
        $rates = [];
        foreach ($this->larger() as ['size' => $size, 'hit_rate' => $hitRate]) {
            if ($hitRate - $this->hitRate >= self::WORTH * log($size / $this->size, 2)) {
                $rates[$size] = $hitRate;
            }
        }
        $most = $rates === [] ? 0.0 : max($rates);
        foreach ($rates as $size => $hitRate) {
            if ($hitRate >= $most - self::NEARLY) {
                return $size;
            }
        }

        return null;
    }

    /** @param int $size one of the predicted ones */
    public function wouldHit(int $size): string
    {
        [$number, $unit] = explode(' ', self::memory($size));
        $here = self::memory($this->size);

        return \sprintf(
            'With %s %s instead of %s, %.0f %% would hit instead of %.0f %%.',
            $number,
            $unit,
            str_ends_with($here, " $unit") ? explode(' ', $here)[0] : $here,
            100 * (array_column($this->sizes, 'hit_rate', 'size')[$size] ?? 0.0),
            100 * $this->hitRate,
        );
    }

    /** What more memory would give, as a sentence. */
    public function gains(): string
    {
        $text = \sprintf('%.1f %% of the gets hit', 100 * $this->hitRate);
        foreach ($this->larger() as $i => ['size' => $size, 'hit_rate' => $hitRate]) {
            $format = $i === 0 ? '; with %s %.1f %% would' : ', with %s %.1f %%';
            $text .= \sprintf($format, self::memory($size), 100 * $hitRate);
        }

        return "$text.";
    }

    public static function memory(int $bytes): string
    {
        return str_replace('.0 ', ' ', Helper::formatMemory($bytes));
    }

    /** @return list<array{size: int, hit_rate: float}> */
    private function larger(): array
    {
        return array_values(array_filter($this->sizes, fn(array $each): bool => $each['size'] > $this->size));
    }
}
