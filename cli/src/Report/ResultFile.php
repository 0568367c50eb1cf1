<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\System\PlainText;
use Larder\Cli\Timing\Histogram;

/**
 * A report as JSON Lines: a header, then a row a line. The header holds a checksum of the other lines. The shape is
 * described in docs/measure.md.
 *
 * @phpstan-import-type Fields from Row
 * @phpstan-import-type SubjectFields from Subject
 */
final class ResultFile implements Output
{
    /** Raise it if programs that read the file have to change. */
    public const FORMAT = 3;

    private const FLAGS = \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION | \JSON_UNESCAPED_SLASHES
        | \JSON_UNESCAPED_UNICODE | \JSON_INVALID_UTF8_SUBSTITUTE;

    /** Larger figures are invalid, and would make computed figures infinite. In nanoseconds, this is 31 years. */
    private const MOST = 1e18;

    private const HEADER = [
        'format' => 'int', 'checksum' => 'string', 'environment' => 'array', 'spoilers' => 'list of string',
        'not_measured' => 'list of array',
    ];
    private const SUBJECT = [
        'table' => 'string', 'store' => 'string', 'connection' => '?string', 'value' => '?string', 'bytes' => '?int',
        'operation' => 'string',
        'unit' => 'string', 'settings' => 'map of string',
    ];
    private const ROW = self::SUBJECT + [
        'median' => '?float', 'low' => '?float', 'high' => '?float', 'samples' => 'list of float', 'failures' => 'int',
        'problem' => 'string',
        'histogram' => '?array', 'published' => '?array', 'notes' => 'list of string',
    ];
    private const HISTOGRAM = ['counts' => 'map of int', 'maximum' => 'int'];
    private const PUBLISHED = [
        'figure' => 'float',
        'study' => 'string',
        'engine' => 'string',
        'environment' => '?string',
    ];

    public function write(Report $report, string $file): void
    {
        TextFile::write($file, self::encode($report));
    }

    public static function encode(Report $report): string
    {
        $rows = '';
        foreach ($report->rows as $row) {
            $fields = $row->toArray();
            $fields['settings'] = (object) $fields['settings'];
            if ($fields['histogram'] !== null) {
                $fields['histogram']['counts'] = (object) $fields['histogram']['counts'];
            }
            $rows .= json_encode($fields, self::FLAGS) . "\n";
        }
        $header = [
            'format' => self::FORMAT,
            'checksum' => hash('sha256', $rows),
            'environment' => (object) $report->environment,
            'spoilers' => $report->spoilers,
            'not_measured' => array_map(static fn(array $missing): array => [
                ...$missing['subject']->toArray(),
                'settings' => (object) $missing['subject']->settings,
                'reason' => $missing['reason'],
            ], $report->notMeasured),
        ];

        return json_encode($header, self::FLAGS) . "\n" . $rows;
    }

    /**
     * Reads a file of --json, or the data of a page of --html.
     *
     * @throws \RuntimeException which names the file, the line and what is wrong with it
     */
    public static function read(string $file): Report
    {
        $text = is_dir($file) ? false : @file_get_contents($file);
        if ($text === false) {
            throw new \RuntimeException(\sprintf(
                '%1$s cannot be read. To make a result: larder compare --json %1$s',
                $file,
            ));
        }
        $data = str_starts_with($text, '<!doctype html>') ? explode(' id="data">', $text, 2)[1] ?? '' : '';
        if ($data !== '') {
            $text = (string) @gzdecode((string) base64_decode(explode('<', $data, 2)[0], true));
        }

        try {
            return self::decode($text);
        } catch (\UnexpectedValueException $wrong) {
            throw new \RuntimeException(\sprintf('%s, %s', $file, $wrong->getMessage()), 0, $wrong);
        }
    }

    /** @throws \UnexpectedValueException which names the line and what is wrong with it */
    private static function decode(string $text): Report
    {
        [$first, $rest] = [...explode("\n", $text, 2), ''];
        $line = 1;

        try {
            /**
             * @var array{
             *     format: int, checksum: string, environment: array<string, mixed>, spoilers: list<string>,
             *     not_measured: list<array<mixed>>,
             * } $header
             */
            $header = self::checked(self::object($first, ['format' => self::FORMAT]), self::HEADER);
            $notMeasured = [];
            foreach ($header['not_measured'] as $missing) {
                $missing = self::checked($missing, self::SUBJECT + ['reason' => 'string']);
                $notMeasured[] = [
                    'subject' => self::subject($missing),
                    'reason' => \is_string($missing['reason']) ? $missing['reason'] : '',
                ];
            }
            $rows = [];
            foreach ($rest === '' ? [] : explode("\n", rtrim($rest, "\n")) as $row) {
                ++$line;
                $rows[] = self::row(self::object($row));
            }
        } catch (\UnexpectedValueException $wrong) {
            throw new \UnexpectedValueException(\sprintf('line %d: %s', $line, $wrong->getMessage()), 0, $wrong);
        }
        if (hash('sha256', $rest) !== $header['checksum']) {
            throw new \UnexpectedValueException(
                'line 1: the checksum is not that of the rows: they were changed, or the file is not whole.',
            );
        }

        return new Report($header['environment'], $rows, $notMeasured, $header['spoilers']);
    }

    /**
     * @param array<string, mixed> $must fields that must have these values; checked first
     * @return array<mixed>
     */
    private static function object(string $line, array $must = []): array
    {
        $object = json_decode($line, true);
        if (!\is_array($object) || !str_starts_with($line, '{')) {
            throw new \UnexpectedValueException('is not a JSON object.');
        }
        foreach ($must as $name => $value) {
            if (($object[$name] ?? null) !== $value) {
                throw new \UnexpectedValueException(\sprintf(
                    '%s is %s, and must be %s. A file of larder compare --json is wanted.',
                    $name,
                    json_encode($object[$name] ?? null),
                    json_encode($value),
                ));
            }
        }

        return PlainText::ofAll($object);
    }

    /** @param array<mixed> $object */
    private static function row(array $object): Row
    {
        /** @var Fields $fields */
        $fields = self::checked($object, self::ROW);
        self::subject($fields);
        if ($fields['histogram'] !== null) {
            self::checked($fields['histogram'], self::HISTOGRAM);
            if (!Histogram::isValid($fields['histogram'])) {
                throw new \UnexpectedValueException('histogram has an impossible bin, count or maximum.');
            }
        }
        if ($fields['published'] !== null) {
            $fields['published'] = array_intersect_key(
                self::checked($fields['published'], self::PUBLISHED),
                self::PUBLISHED,
            );
        }
        if ($fields['median'] === null && ($fields['low'] !== null || $fields['high'] !== null)) {
            throw new \UnexpectedValueException('has an interval without a median.');
        }

        /** @var Fields $fields */
        return Row::fromArray($fields);
    }

    /** @param array<mixed> $object checked */
    private static function subject(array $object): Subject
    {
        /** @var SubjectFields $object */
        if (Unit::tryFrom($object['unit']) === null) {
            throw new \UnexpectedValueException(\sprintf(
                'unit is "%s". Known: %s.',
                $object['unit'],
                implode(', ', array_column(Unit::cases(), 'value')),
            ));
        }

        return Subject::fromArray($object);
    }

    /**
     * @param array<mixed> $object
     * @param array<string, string> $types by field
     * @return array<mixed> the same
     * @throws \UnexpectedValueException
     */
    private static function checked(array $object, array $types): array
    {
        foreach ($types as $name => $type) {
            if (!\array_key_exists($name, $object)) {
                throw new \UnexpectedValueException($name . ' is missing.');
            }
            if (!self::is($object[$name], $type)) {
                throw new \UnexpectedValueException(\sprintf(
                    '%s is not of type %s%s',
                    $name,
                    $type,
                    str_ends_with($type, 'float') ? ', or is too large.' : '.',
                ));
            }
        }

        return $object;
    }

    private static function is(mixed $value, string $type): bool
    {
        if ($type[0] === '?') {
            return $value === null || self::is($value, substr($type, 1));
        }
        if (str_contains($type, ' of ')) {
            [$kind, $of] = explode(' of ', $type);

            return \is_array($value) && ($kind === 'map' || array_is_list($value))
                && array_filter($value, static fn(mixed $each): bool => !self::is($each, $of)) === [];
        }

        return match ($type) {
            'string' => \is_string($value),
            'int' => \is_int($value),
            'float' => (\is_float($value) || \is_int($value)) && abs($value) <= self::MOST,
            default => \is_array($value),
        };
    }
}
