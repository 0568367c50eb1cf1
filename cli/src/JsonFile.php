<?php

declare(strict_types=1);

namespace Larder\Cli;

use Symfony\Component\Console\Exception\InvalidOptionException;

/** The file that --json names: looked at before anything is measured, and written at the end. */
final class JsonFile
{
    private function __construct(private readonly string $file) {}

    /**
     * @return self|null null when none is asked for
     * @throws InvalidOptionException
     */
    public static function named(mixed $file): ?self
    {
        if (!\is_string($file)) {
            return null;
        }
        $place = file_exists($file) ? $file : \dirname($file);
        if (is_dir($file) || !is_writable($place)) {
            throw new InvalidOptionException(\sprintf('--json: %s cannot be written.', $file));
        }

        return new self($file);
    }

    /** @throws \RuntimeException */
    public function write(string $json): void
    {
        if (@file_put_contents($this->file, $json) !== \strlen($json)) {
            throw new \RuntimeException(\sprintf('--json: %s could not be written: %s', $this->file, error_get_last()['message'] ?? 'the disk is full'));
        }
    }
}
