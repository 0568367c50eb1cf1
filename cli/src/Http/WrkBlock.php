<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\System\Executable;
use Larder\Cli\System\ServerFailed;
use Larder\Cli\System\TiedProcess;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/** One page under wrk. */
final class WrkBlock implements Block
{
    private const MOST_SECONDS = 60;

    /**
     * Shell code that closes inherited descriptors. wrk watches only descriptors below 10 + 3 for each connection; a
     * socket with a higher number counts as a failed connect and is not retried. A terminal in an editor alone can hold
     * that many.
     */
    private const WITHOUT_INHERITED_FILES = 'for file in /proc/self/fd/*; do file=${file##*/}; '
        . '[ "$file" -le 2 ] || eval "exec $file>&-"; done; exec "$@"';

    /** wrk's names of socket errors. */
    private const ERRORS = [
        'connect' => 'no connection',
        'read' => 'a failed read',
        'write' => 'a failed write',
        'timeout' => 'an answer after more than 2 s',
    ];

    private ?Process $process = null;

    /**
     * @param positive-int $concurrency
     * @param positive-int $requests of the first run
     * @param positive-int $laterRequests of each run that follows
     * @param positive-int $seconds after which a run is killed
     */
    public function __construct(
        private readonly Site $site,
        private readonly Page $page,
        private readonly int $concurrency,
        private readonly Subject $subject,
        private int $requests,
        private readonly int $laterRequests,
        private readonly int $seconds = self::MOST_SECONDS,
    ) {}

    public function name(): string
    {
        $settings = array_map(
            static fn(string $name, string $value): string => $name . ' ' . $value,
            array_keys($this->subject->settings),
            $this->subject->settings,
        );

        return implode(
            ', ',
            array_filter(
                ['wrk ' . $this->concurrency, $this->subject->name(), $this->page->value, ...$settings],
                is_string(...),
            ),
        );
    }

    public function subjects(): array
    {
        return [$this->subject];
    }

    public function run(\Closure $tell): void
    {
        try {
            $wrk = Executable::find(['wrk'], 'wrk')->path;
        } catch (ServerFailed $missing) {
            throw new Unavailable($missing->getMessage());
        }
        $this->process = new Process(TiedProcess::toThisProcess($this->site->on(
            'bash',
            '-c',
            self::WITHOUT_INHERITED_FILES,
            'bash',
            $wrk,
            '-t1',
            '-c' . $this->concurrency,
            \sprintf('-d%ds', $this->seconds),
            '-s' . \dirname(__DIR__, 2) . '/bin/requests.lua',
            $this->site->url($this->page),
            '--',
            (string) $this->requests,
            $this->site->bodyFile($this->page),
        )), timeout: 2 * $this->seconds);

        try {
            TiedProcess::run($this->process);
        } catch (ProcessTimedOutException) {
            // sample() reports it
        }
        $tell($this->sample($this->process));
        $this->process = null;
        $this->requests = $this->laterRequests;
    }

    public function stop(): void
    {
        $this->process?->stop(0);
    }

    private function sample(Process $process): Sample
    {
        $line = preg_match('/^\{.*\}$/m', $process->getOutput(), $match) === 1 ? $match[0] : 'null';
        /** @var array{requests: int, microseconds: int, failures: int, problem: string}|null $told */
        $told = json_decode($line, true);
        if ($told === null) {
            return Sample::failed($this->subject, $this->problem($process->getOutput(), $process->getErrorOutput()));
        }

        return $told['failures'] > 0
            ? Sample::failed($this->subject, $told['problem'], $told['failures'])
            : new Sample($this->subject, 1e6 * $told['requests'] / $told['microseconds']);
    }

    /**
     * The problem of a run without a result, from the summary that wrk prints when its time is over.
     *
     * @param string $printed by wrk
     * @param string $errors its standard error
     */
    private function problem(string $printed, string $errors): string
    {
        if (preg_match('/^ *(\d+) requests in /m', $printed, $answered) !== 1) {
            return rtrim('wrk gave no result: ' . substr(trim($errors . $printed), 0, 300), ': ');
        }
        $found = [];
        preg_match('/^ *Socket errors: (.+)$/m', $printed, $line);
        foreach (explode(', ', $line[1] ?? '') as $error) {
            [$kind, $count] = [...explode(' ', $error), '0'];
            if ((int) $count > 0) {
                $found[] = \sprintf('%d times %s', $count, self::ERRORS[$kind] ?? $kind);
            }
        }

        return \sprintf(
            'wrk did not end within %d s: %d requests were answered%s',
            $this->seconds,
            $answered[1],
            $found === [] ? '' : '; ' . implode(', ', $found),
        );
    }
}
