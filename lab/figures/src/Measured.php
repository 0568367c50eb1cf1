<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

use Larder\Cli\Report\Figure;

/** A file of figures in docs/figures. It consists of JSON Lines, and the first line describes the machine. */
final class Measured
{
    /**
     * @param array<mixed> $header
     * @param list<array<mixed>> $rows
     */
    private function __construct(public readonly array $header, public readonly array $rows) {}

    /** @throws \RuntimeException */
    public static function read(string $file): self
    {
        $objects = [];
        foreach (\is_file($file) ? (array) file($file, \FILE_IGNORE_NEW_LINES) : [] as $line) {
            $objects[] = (array) json_decode((string) $line, true);
        }
        $header = array_shift($objects);
        if (!\is_array($header['environment'] ?? $header['measured_on'] ?? null)) {
            throw new \RuntimeException("$file does not hold the figures of ./larder compare or lab/figures/run.");
        }

        return new self((array) $header, $objects);
    }

    /** True for figures of `./larder compare`, false for those of lab/figures/run. */
    public function isComparison(): bool
    {
        return isset($this->header['environment']);
    }

    /** "2026-11-22: PHP 8.2.36, AMD EPYC, 2 cores". */
    public function machine(): string
    {
        $on = (array) ($this->header['environment'] ?? $this->header['measured_on'] ?? []);
        $text = static fn(string $key): string => \is_scalar($on[$key] ?? null) ? (string) $on[$key] : '';

        return \sprintf('%s: PHP %s, %s, %s cores', substr($text('date'), 0, 10), $text('php'), $text('processor'), $text('cores'));
    }

    /** @param array<mixed> $row */
    public static function text(array $row, string $key): string
    {
        return \is_string($row[$key] ?? null) ? $row[$key] : '';
    }

    /** @param array<mixed> $row */
    public static function number(array $row, string $key): ?float
    {
        return \is_int($row[$key] ?? null) || \is_float($row[$key] ?? null) ? (float) $row[$key] : null;
    }

    public static function duration(?float $nanoseconds): string
    {
        return $nanoseconds === null ? 'fails' : Figure::duration($nanoseconds);
    }
}
