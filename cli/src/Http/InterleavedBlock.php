<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\System\Php;
use Larder\Cli\System\TiedProcess;
use Larder\Cli\Timing\Histogram;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/** Several pages under LoadGenerator, and the requests per second of each as a share of the first page's. */
final class InterleavedBlock implements Block
{
    /** Requests of a turn for each concurrent connection. */
    private const TURN = 2;
    private const SECONDS = 120;

    private ?Process $process = null;

    /**
     * @param non-empty-list<Page> $pages the others are compared with the first
     * @param positive-int $concurrency
     * @param int $rounds turns of each page
     */
    public function __construct(
        private readonly string $table,
        private readonly Site $site,
        private readonly array $pages,
        private readonly int $concurrency,
        private readonly int $rounds,
    ) {}

    public function name(): string
    {
        return \sprintf(
            'interleaved pages, %d at a time, beside %s%s',
            $this->concurrency,
            $this->pages[0]->store,
            implode('', array_map(static fn(string $setting): string => ', ' . $setting, $this->site->settings())),
        );
    }

    public function subjects(): array
    {
        $subjects = [];
        foreach ($this->pages as $i => $page) {
            $subjects[] = $this->requests($page);
            if ($i > 0) {
                $subjects[] = $this->share($page);
            }
        }

        return $subjects;
    }

    public function run(\Closure $tell): void
    {
        $bodies = [];
        foreach ($this->pages as $page) {
            $bodies[$page->path()] = $page->body;
        }
        $this->process = new Process(
            TiedProcess::toThisProcess($this->site->on(...(new Php())->command([
                \dirname(__DIR__, 2) . '/bin/http-load.php',
            ]))),
            input: json_encode([
                'port' => $this->site->port,
                'concurrency' => $this->concurrency,
                'turnRequests' => $this->concurrency === 1 ? 1 : self::TURN * $this->concurrency,
                'rounds' => $this->rounds,
                'pages' => $bodies,
            ], \JSON_THROW_ON_ERROR),
            timeout: self::SECONDS,
        );

        try {
            TiedProcess::run($this->process);
        } catch (ProcessTimedOutException) {
            // tell() reports the missing figures
        }
        $this->tell($this->process, $tell);
        $this->process = null;
    }

    public function stop(): void
    {
        $this->process?->stop(0);
    }

    /** @param \Closure(Sample): void $tell */
    private function tell(Process $process, \Closure $tell): void
    {
        $found = [];
        foreach (explode("\n", trim($process->getOutput())) as $line) {
            /**
             * @var array{
             *     path: string, nanoseconds: int|float|null, failures: int, problem: string, share: ?float,
             *     histogram: array{counts: array<int|string, int>, maximum: int},
             * }|null $load
             */
            $load = json_decode($line, true);
            if ($load !== null) {
                $found[$load['path']] = $load;
            }
        }
        foreach ($this->pages as $i => $page) {
            $load = $found[$page->path()] ?? null;
            $time = $load['nanoseconds'] ?? null;
            $share = $load['share'] ?? null;
            if ($load === null || $time === null) {
                $problem = $load === null
                    ? 'the load generator failed: ' . substr(trim($process->getErrorOutput()), 0, 300)
                    : $load['problem'];
                $tell(Sample::failed($this->requests($page), $problem, $load['failures'] ?? 1));
            } else {
                $tell(new Sample(
                    $this->requests($page),
                    1e9 / $time,
                    histogram: Histogram::fromArray($load['histogram']),
                ));
            }
            if ($i > 0) {
                $tell(
                    $share === null
                        ? Sample::failed($this->share($page), 'one of the two pages failed')
                        : new Sample($this->share($page), 100.0 * $share),
                );
            }
        }
    }

    private function requests(Page $page): Subject
    {
        return $page->subject($this->table, 'request', Unit::RequestsPerSecond, $this->site->settings());
    }

    private function share(Page $page): Subject
    {
        return $page->subject(
            $this->table,
            'share of ' . $this->pages[0]->store,
            Unit::Percent,
            $this->site->settings(),
        );
    }
}
