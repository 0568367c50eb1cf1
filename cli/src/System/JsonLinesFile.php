<?php

declare(strict_types=1);

namespace Larder\Cli\System;

use Symfony\Component\Console\Exception\InvalidOptionException;

/**
 * JSON Lines for the option --json: the first object describes the measurement and the machine, each other one is a
 * row.
 */
final class JsonLinesFile
{
    private const FLAGS = \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION | \JSON_UNESCAPED_SLASHES
        | \JSON_UNESCAPED_UNICODE;

    private function __construct(private readonly string $file) {}

    /**
     * Checks that the file can be written, before anything is measured.
     *
     * @param mixed $file null: without the option; "-": standard output
     * @throws InvalidOptionException
     */
    public static function named(mixed $file): ?self
    {
        if (!\is_string($file)) {
            return null;
        }
        if ($file === '-') {
            return new self('php://stdout');
        }
        if (is_dir($file) || !is_writable(file_exists($file) ? $file : \dirname($file))) {
            throw new InvalidOptionException(\sprintf('--json: %s cannot be written.', $file));
        }

        return new self($file);
    }

    /**
     * @param array<string, mixed> $header
     * @param iterable<array<string, mixed>> $rows
     * @throws \RuntimeException
     */
    public function write(array $header, iterable $rows): void
    {
        $lines = json_encode($header, self::FLAGS) . "\n";
        foreach ($rows as $row) {
            $lines .= json_encode($row, self::FLAGS) . "\n";
        }
        if (@file_put_contents($this->file, $lines) !== \strlen($lines)) {
            throw new \RuntimeException(\sprintf(
                '--json: %s could not be written: %s',
                $this->file,
                error_get_last()['message'] ?? 'the disk is full',
            ));
        }
    }
}
