<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\Php;
use Larder\Cli\System\ServerFailed;
use Symfony\Component\Process\Exception\ProcessTimedOutException;

/** See Safety. */
final class SafetyBlock implements Block
{
    private const SETTLE = 200_000_000;

    private ?PhpFpmServer $server = null;

    /** @param string $directory for PHP-FPM's socket and log */
    public function __construct(
        private readonly Target $target,
        private readonly string $directory,
        private readonly int $writers,
        private readonly int $milliseconds,
    ) {}

    public function name(): string
    {
        return 'safety, ' . $this->target->name();
    }

    public function subjects(): array
    {
        return array_map(
            fn(string $operation): Subject
                => Safety::subject($this->target->store, $this->target->connection, $operation, $this->writers),
            [...array_values(Safety::COUNTS), Safety::OPERATIONS],
        );
    }

    public function run(\Closure $tell): void
    {
        try {
            $this->server = $server = $this->start();
        } catch (ServerFailed $missing) {
            throw new Unavailable($missing->getMessage(), 0, $missing);
        }

        try {
            $this->ask($server, 1, 0);
            $counts = $this->ask(
                $server,
                $this->writers,
                (int) \hrtime(true) + self::SETTLE + 1_000_000 * $this->milliseconds,
            );
        } catch (ServerFailed|ProcessTimedOutException $failed) {
            foreach ($this->subjects() as $subject) {
                $tell(Sample::failed($subject, $failed->getMessage()));
            }

            return;
        } finally {
            $this->stop();
        }
        $operations = $counts['operations'];
        foreach ($this->subjects() as $subject) {
            $count = array_search($subject->operation, Safety::COUNTS, true);
            $tell(match (true) {
                $operations === 0 => Sample::failed($subject, 'did not finish one operation'),
                $count === false => new Sample($subject, 1000 * $operations / $this->milliseconds),
                default => new Sample($subject, 1e6 * $counts[$count] / $operations),
            });
        }
    }

    public function stop(): void
    {
        $this->server?->stop();
        $this->server = null;
    }

    private function start(): PhpFpmServer
    {
        $environment = $this->target->php->environment();
        $engine = getenv(Php::ENGINE_VARIABLE);

        return PhpFpmServer::start(
            $this->directory,
            ['display_errors' => 'stderr', ...$this->target->php->ini],
            [...($engine === false ? [] : [$engine]), ...$this->target->php->extensions],
            [new PhpFpmPool(workers: $this->writers)],
            $environment === []
                ? []
                : [
                    'env',
                    ...array_map(
                        static fn(string $name, string $value): string => $name . '=' . $value,
                        array_keys($environment),
                        $environment,
                    ),
                ],
        );
    }

    /**
     * @param int $until hrtime; 0: store all keys for the first time
     * @return array<string, int> sums of the counters of all requests
     */
    private function ask(PhpFpmServer $server, int $requests, int $until): array
    {
        $asked = [];
        for ($i = 0; $i < $requests; ++$i) {
            $job = ['address' => $this->target->address, 'writer' => $until === 0 ? 0 : $i + 1, 'until' => $until];
            $asked[] = $server->startRequest(
                \dirname(__DIR__, 2) . '/bin/workload-page.php',
                parameters: [SafetyPage::JOB => json_encode($job, \JSON_THROW_ON_ERROR)],
            );
        }
        $counts = array_fill_keys(['operations', ...array_keys(Safety::COUNTS)], 0);
        foreach ($asked as $request) {
            $response = $server->response($request);
            $answer = json_decode($response->body, true);
            if (!\is_array($answer)) {
                throw new ServerFailed(\sprintf(
                    'a worker of PHP-FPM failed: %s',
                    substr(trim($response->errors . $response->body), 0, 300),
                ));
            }
            if (\is_string($answer['unavailable'] ?? null)) {
                throw new Unavailable($answer['unavailable']);
            }
            foreach ($counts as $name => $count) {
                $counts[$name] = $count + (\is_int($answer[$name] ?? null) ? $answer[$name] : 0);
            }
        }

        return $counts;
    }
}
