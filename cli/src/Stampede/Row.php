<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

/** One line of `larder stampede`. */
final class Row
{
    /** Widths of the two columns of each measurement. */
    private const COLUMNS = ['cold' => [12, 11], 'killed' => [12, 17]];

    private function __construct(public readonly End $end, public readonly string $text) {}

    public static function missing(string $why): self
    {
        return new self(End::Missing, 'not measured: ' . $why);
    }

    public static function failed(string $why): self
    {
        return new self(End::Failed, 'failed: ' . $why);
    }

    /**
     * Parses the output of bin/stampede.php.
     *
     * @param string $errors its standard error
     */
    public static function of(string $json, string $errors, bool $isSuccessful): self
    {
        $answer = json_decode($json, true);
        if (!\is_array($answer) || !$isSuccessful) {
            return self::failed(trim($errors . $json) === '' ? 'the measuring process died' : trim($errors . $json));
        }
        foreach (['missing' => self::missing(...), 'failed' => self::failed(...)] as $what => $row) {
            if (\is_string($answer[$what] ?? null)) {
                return $row($answer[$what]);
            }
        }
        $columns = '';
        foreach (self::COLUMNS as $what => [$first, $second]) {
            $outcome = $answer[$what] ?? null;
            $computations = \is_array($outcome) ? $outcome['computations'] ?? null : null;
            $last = \is_array($outcome) ? $outcome['last'] ?? null : null;
            if (!\is_int($computations) || !\is_float($last)) {
                return self::failed('unexpected output of the measuring process: ' . $json);
            }
            $columns .= \sprintf("%{$first}d %{$second}.0f ms ", $computations, 1000 * $last);
        }

        return new self(End::Measured, rtrim($columns));
    }
}
