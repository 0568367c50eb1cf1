<?php

declare(strict_types=1);

/*
 * Tests workers of frameworks that never end a request, with a cache over the engine. Each job fetches values that
 * another process keeps changing, keeps some of them in a service, and compares its values with the stored ones.
 *
 *     php lab/workers/prove.php JOBS plain AUTOLOADER…       the autoloaders of Larder and of the frameworks
 *     php lab/workers/prove.php JOBS hoarding AUTOLOADER     jobs that keep a copy of each page: memory grows
 *
 * Runs only the workers whose classes the autoloaders can load.
 */

use Illuminate\Container\Container;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Queue\Job as JobContract;
use Illuminate\Contracts\Queue\Queue as QueueContract;
use Illuminate\Events\Dispatcher;
use Illuminate\Queue\Jobs\SyncJob;
use Illuminate\Queue\NullQueue;
use Illuminate\Queue\QueueManager;
use Illuminate\Queue\Worker as LaravelWorker;
use Illuminate\Queue\WorkerOptions;
use Larder\Cache;
use Larder\Cli\Stampede\Fork;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Transport\Receiver\ReceiverInterface;
use Symfony\Component\Messenger\Worker as MessengerWorker;

[, $jobs, $manner] = $argv;
foreach (array_slice($argv, 3) as $autoloader) {
    require str_starts_with($autoloader, '/') ? $autoloader : dirname(__DIR__, 2) . "/$autoloader";
}

/** The nth value of a kind; all are different. */
function make(string $kind, int $n): mixed
{
    return match ($kind) {
        'short' => "short $n",
        'row' => ['n' => $n, 'name' => "name $n", 'tags' => ["a $n", "b $n"]],
        'page' => "page $n " . str_repeat(chr(97 + $n % 26), 16_000),
        'large' => "large $n " . str_repeat(chr(97 + $n % 26), 128_000),
        'table' => array_map(static fn(int $row): array => ['id' => $row, 'text' => "text $n $row"], range(0, 99)),
        default => throw new LogicException($kind),
    };
}

const KINDS = ['short', 'row', 'page', 'large', 'table'];

/** The number from which a value was created. */
function number(string $kind, mixed $value): int
{
    return match (true) {
        is_array($value) && $kind === 'row' => $value['n'],
        is_array($value) => (int) explode(' ', $value[0]['text'])[1],
        default => (int) explode(' ', $value)[1],
    };
}

/** The work of a job, in a service that lives as long as the worker. */
final class Service
{
    public int $jobs = 0;
    public int $changed = 0;

    /** @var array<string, array{mixed, int}> values that are kept across jobs, and their numbers */
    private array $kept = [];

    /** @var list<string> */
    private array $hoard = [];

    public function __construct(private readonly Cache $cache, private readonly bool $isHoarding) {}

    public function work(): void
    {
        ++$this->jobs;
        foreach (KINDS as $kind) {
            $value = $this->cache->get($kind);
            $this->compare($kind, $value, number($kind, $value));
            if ($this->isHoarding && $kind === 'page') {
                $this->hoard[] = $value . ' of a job';
            }
            if (random_int(1, 50) === 1) {
                [$old, $number] = $this->kept[$kind] ?? [make($kind, 0), 0];
                $this->compare($kind, $old, $number);
                $this->kept[$kind] = [$value, number($kind, $value)];
            }
        }
        if ($this->jobs % 100 === 0) {
            foreach ($this->kept as $kind => [$value, $number]) {
                $this->compare($kind, $value, $number);
            }
        }
    }

    private function compare(string $kind, mixed $value, int $number): void
    {
        $this->changed += $value !== make($kind, $number) ? 1 : 0;
    }
}

/** @return array<string, Closure(Closure(): bool): void> workers; each runs a job again until it returns false */
function workers(): array
{
    $workers = [
        'a loop' => static function (Closure $job): void {
            while ($job());
        },
        'Symfony Messenger' => static function (Closure $job): void {
            $receiver = new class implements ReceiverInterface {
                public function get(): iterable
                {
                    return [new Envelope(new stdClass())];
                }

                public function ack(Envelope $envelope): void {}

                public function reject(Envelope $envelope): void
                {
                    throw new RuntimeException('a job has failed');
                }
            };
            $worker = null;
            $handler = static function () use ($job, &$worker): void {
                $job() || $worker->stop();
            };
            $bus = new MessageBus([new HandleMessageMiddleware(new HandlersLocator([stdClass::class => [$handler]]))]);
            $worker = new MessengerWorker(['all' => $receiver], $bus);
            $worker->run(['sleep' => 0]);
        },
        'Laravel\'s queue' => static function (Closure $job): void {
            $container = new Container();
            $events = new Dispatcher($container);
            $container->instance('events', $events);
            $container->instance(Illuminate\Contracts\Events\Dispatcher::class, $events);
            $container->instance('config', new Illuminate\Config\Repository(['queue' => ['default' => 'jobs', 'connections' => ['jobs' => ['driver' => 'jobs']]]]));
            Container::setInstance($container);
            $queue = new class ($container) extends NullQueue {
                public function __construct(private readonly Container $jobs) {}

                public function pop($queue = null): JobContract
                {
                    return new SyncJob($this->jobs, json_encode(['job' => 'job@fire', 'data' => [], 'uuid' => uniqid()], JSON_THROW_ON_ERROR), 'jobs', 'default');
                }
            };
            $worker = null;
            $container->instance('job', new class ($job, $worker) {
                public function __construct(private readonly Closure $job, private ?LaravelWorker &$worker) {}

                public function fire(JobContract $message): void
                {
                    ($this->job)() || $this->worker->shouldQuit = true;
                    $message->delete();
                }
            });
            $manager = new QueueManager($container);
            $manager->addConnector('jobs', static fn(): object => new class ($queue) {
                public function __construct(private readonly QueueContract $queue) {}

                public function connect(): QueueContract
                {
                    return $this->queue;
                }
            });
            $handler = new class implements ExceptionHandler {
                public function report(Throwable $error): never
                {
                    throw $error;
                }

                public function shouldReport(Throwable $error): bool
                {
                    return true;
                }

                public function render($request, Throwable $error): never
                {
                    throw $error;
                }

                public function renderForConsole($output, Throwable $error): never
                {
                    throw $error;
                }
            };
            $worker = new LaravelWorker($manager, $events, $handler, static fn(): bool => false);
            $worker->daemon('jobs', 'default', new WorkerOptions(sleep: 0, memory: 1024));
        },
    ];
    $needs = ['Symfony Messenger' => MessengerWorker::class, 'Laravel\'s queue' => LaravelWorker::class];

    return array_filter($workers, static fn(string $name): bool => !isset($needs[$name]) || class_exists($needs[$name]), ARRAY_FILTER_USE_KEY);
}

function resident(): int
{
    return preg_match('/^RssAnon:\s+(\d+) kB/m', (string) file_get_contents('/proc/self/status'), $match) === 1 ? (int) $match[1] : 0;
}

$failed = 0;
foreach (workers() as $name => $worker) {
    $cache = Cache::open('larder:?namespace=workers');
    $store = static function (int $n) use ($cache): void {
        foreach (KINDS as $kind) {
            $cache->set($kind, make($kind, $n));
        }
    };
    $store(1);
    $parent = getmypid();
    $writer = Fork::start(static function () use ($store, $parent): array {
        for ($n = 2; posix_getppid() === $parent; ++$n) { // until the parent ends; it may crash in a control
            $store($n);
        }

        return [];
    });
    $service = new Service($cache, $manner === 'hoarding');
    $before = 0;
    $start = hrtime(true);
    try {
        $worker(static function () use ($service, $jobs, &$before): bool {
            $service->work();
            if ($service->jobs === intdiv((int) $jobs, 10)) {
                $before = resident();
            }

            return $service->jobs < (int) $jobs;
        });
    } catch (Throwable $error) {
        echo $error, "\n";
        ++$failed;
    } finally {
        $writer->kill();
    }
    $seconds = (hrtime(true) - $start) / 1e9;
    $growth = resident() - $before;
    ['pins' => $pins, 'copies' => $copies] = larder_info();
    $isRight = $service->jobs === (int) $jobs && $service->changed === 0 && $growth < 8 << 10 && $pins['scans'] > 0 && $pins['mine'] <= $pins['long_lived_limit'];
    $failed += $isRight ? 0 : 1;
    printf(
        "%s %s: %s jobs, %d us each; %d values have changed; %d scans released %s pages, the last one took %d us; memory grew by %d KiB; %d of %d pages are held\n",
        $isRight ? 'ok     ' : 'FAILED ',
        $name,
        number_format($service->jobs),
        $seconds * 1e6 / max(1, $service->jobs),
        $service->changed,
        $pins['scans'],
        number_format($pins['released']),
        $pins['scan_us'],
        $growth,
        $pins['mine'],
        $pins['long_lived_limit'],
    );
    $results = (string) getenv('LARDER_PROOF_RESULTS');
    if ($results !== '') {
        file_put_contents($results, json_encode([
            'proof' => 'workers.jobs',
            'tried' => $service->jobs,
            'unit' => 'jobs of workers that never end a request, each of which fetches five values and compares all that it holds, while another process stores new ones',
            'failed' => $isRight ? 0 : max(1, $service->changed),
            'figures' => [$name => sprintf('%s jobs, %d scans released %s pages, memory grew by %d KiB', number_format($service->jobs), $pins['scans'], number_format($pins['released']), $growth)],
        ], JSON_THROW_ON_ERROR) . "\n", FILE_APPEND);
    }
}
printf("%d passed, %d failed\n", count(workers()) - $failed, $failed);
exit($failed === 0 ? 0 : 1);
