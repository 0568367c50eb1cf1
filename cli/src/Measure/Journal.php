<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

use Larder\Cli\Timing\Histogram;
use Larder\Internal\Filesystem\UserFolder;

/**
 * The samples of a run so far, for `--resume`: a header with the run's settings, then a line a block. A line is
 * appended as soon as its block has ended, so an interrupted run only loses the block that was running.
 *
 * @phpstan-type Figures array{
 *     string, ?float, int, string, ?array{counts: array<int|string, int>, maximum: int}, ?float,
 * }
 */
final class Journal
{
    private const FLAGS = \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION | \JSON_UNESCAPED_SLASHES
        | \JSON_UNESCAPED_UNICODE | \JSON_INVALID_UTF8_SUBSTITUTE;

    /** First bytes of every journal. */
    private const BEGINNING = '{"settings":';

    /**
     * @param resource $handle locked for the lifetime of this object
     * @param array<string, list<Figures>> $samples by round and block
     */
    private function __construct(private readonly string $file, private $handle, private array $samples = []) {}

    /**
     * The default path of a run's journal.
     *
     * @throws \RuntimeException if there is no home directory, and no folder for temporary files that is safe from
     *         other users
     */
    public static function place(): string
    {
        $state = getenv('XDG_STATE_HOME');
        $home = getenv('HOME');

        return match (true) {
            \is_string($state) && str_starts_with($state, '/') => $state,
            \is_string($home) && $home !== '' => $home . '/.local/state',
            default => UserFolder::find('journal', sys_get_temp_dir(), 'larder-state'),
        } . '/larder/compare.jsonl';
    }

    /**
     * @param array<string, string> $settings that figures depend on
     * @throws \RuntimeException if the file cannot be written, is in use by a run, or is not a journal
     */
    public static function start(string $file, array $settings): self
    {
        $handle = self::open($file);
        if (is_file($file)) {
            // A mistyped path must not overwrite another file.
            if (!\in_array(fread($handle, \strlen(self::BEGINNING)), ['', self::BEGINNING], true)) {
                throw new \RuntimeException(\sprintf(
                    '--journal: %s is not a journal, and a run would overwrite it. Name another file: --journal FILE',
                    $file,
                ));
            }
            ftruncate($handle, 0);
            rewind($handle);
        }
        $journal = new self($file, $handle);
        $journal->append(['settings' => $settings]);

        return $journal;
    }

    /**
     * @param array<string, string> $settings
     * @throws \RuntimeException if there is no such run, or it had other settings
     */
    public static function continue(string $file, array $settings): self
    {
        if (!is_file($file)) {
            throw new \RuntimeException(\sprintf(
                '--resume: there is no interrupted run in %s. Run without --resume.',
                $file,
            ));
        }
        $handle = self::open($file);
        $lines = explode("\n", (string) stream_get_contents($handle));
        $unfinished = \strlen(array_pop($lines)); // the run was killed while it wrote this line
        $header = json_decode(array_shift($lines) ?? '', true);
        $before = \is_array($header) && \is_array($header['settings'] ?? null) ? $header['settings']
            : throw new \RuntimeException(\sprintf(
                '--resume: %s is not the journal of a run. Run without --resume.',
                $file,
            ));
        $differences = [];
        foreach ($settings + $before as $name => $value) {
            [$then, $now] = array_map(
                static fn(mixed $text): string => \is_string($text) ? $text : 'not set',
                [$before[$name] ?? null, $settings[$name] ?? null],
            );
            if ($then !== $now) {
                $differences[] = \sprintf('%s: it had %s, this one has %s', $name, $then, $now);
            }
        }
        if ($differences !== []) {
            throw new \RuntimeException(\sprintf(
                "--resume: the interrupted run was another one.\n%s.\nGive it the same options, "
                    . 'or run without --resume.',
                implode(".\n", $differences),
            ));
        }
        $samples = [];
        foreach ($lines as $i => $line) {
            $entry = json_decode($line, true);
            if (
                !\is_array($entry) || !\is_int($entry['round'] ?? null) || !\is_string($entry['block'] ?? null)
                || !self::areFigures($entry['samples'] ?? null)
            ) {
                throw new \RuntimeException(
                    \sprintf('--resume: line %d of %s is damaged. Run without --resume.', $i + 2, $file),
                );
            }
            $samples[self::key($entry['round'], $entry['block'])] = $entry['samples'];
        }
        ftruncate($handle, max(0, (int) ftell($handle) - $unfinished));
        fseek($handle, 0, \SEEK_END);

        return new self($file, $handle, $samples);
    }

    /** @return list<Sample>|null samples of the block in this round; null if it has not been measured yet */
    public function samples(int $round, Block $block): ?array
    {
        $samples = [];
        $subjects = [];
        foreach ($block->subjects() as $subject) {
            $subjects[$subject->key()] = $subject;
        }
        foreach ($this->samples[self::key($round, $block->name())] ?? [] as [
            $key, $figure, $failures, $problem, $histogram, $drift,
        ]) {
            if (!isset($subjects[$key])) {
                return null;
            }
            $samples[] = new Sample(
                $subjects[$key],
                $figure,
                $failures,
                $problem,
                $histogram === null ? null : Histogram::fromArray($histogram),
                $drift,
            );
        }

        return $samples === [] ? null : $samples;
    }

    /** @param list<Sample> $samples */
    public function add(int $round, Block $block, array $samples): void
    {
        $this->append(
            ['round' => $round, 'block' => $block->name(), 'samples' => array_map(static fn(Sample $sample): array => [
                $sample->subject->key(), $sample->figure, $sample->failures, $sample->problem,
                $sample->histogram?->toArray(), $sample->drift,
            ], $samples)],
        );
    }

    /** Called when the run is complete. */
    public function remove(): void
    {
        if (is_file($this->file)) { // false for a device, such as /dev/null
            @unlink($this->file);
        }
    }

    public function file(): string
    {
        return $this->file;
    }

    /** @return resource */
    private static function open(string $file)
    {
        if (!is_dir(\dirname($file))) {
            @mkdir(\dirname($file), 0o700, true);
        }
        $handle = @fopen($file, 'c+e');
        if ($handle === false) {
            throw new \RuntimeException(\sprintf(
                '--journal: %s cannot be written. To name another file: --journal FILE',
                $file,
            ));
        }
        if (!flock($handle, \LOCK_EX | \LOCK_NB)) {
            throw new \RuntimeException(\sprintf(
                '--journal: another run writes to %s. Wait for its end, as two runs spoil each other\'s figures; '
                    . 'or name another file: --journal FILE',
                $file,
            ));
        }

        return $handle;
    }

    /** @param array<string, mixed> $entry */
    private function append(array $entry): void
    {
        $line = json_encode($entry, self::FLAGS) . "\n";
        if (@fwrite($this->handle, $line) !== \strlen($line)) {
            throw new \RuntimeException(\sprintf(
                '--journal: %s could not be written: %s',
                $this->file,
                error_get_last()['message'] ?? 'the disk is full',
            ));
        }
    }

    /** @phpstan-assert-if-true list<Figures> $samples */
    private static function areFigures(mixed $samples): bool
    {
        if (!\is_array($samples) || !array_is_list($samples)) {
            return false;
        }
        foreach ($samples as $sample) {
            [$key, $figure, $failures, $problem, $histogram, $drift] = \is_array($sample)
                && array_is_list($sample)
                && \count($sample) === 6
                ? $sample
                : array_fill(0, 6, null);
            if (
                !\is_string($key) || !\is_int($failures) || !\is_string($problem) || !self::isFigure($figure)
                || !self::isFigure($drift) || ($histogram !== null && !Histogram::isValid($histogram))
            ) {
                return false;
            }
        }

        return true;
    }

    private static function isFigure(mixed $figure): bool
    {
        return $figure === null || (is_numeric($figure) && !\is_string($figure) && is_finite((float) $figure));
    }

    private static function key(int $round, string $block): string
    {
        return $round . ' ' . $block;
    }
}
