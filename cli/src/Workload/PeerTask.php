<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\Value;
use Larder\Cli\Compare\WrongResults;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Timing\Statistics;
use Larder\Cli\Timing\Timer;

/** See Peers. */
final class PeerTask implements Task
{
    private const VALUES = ['1k', '50 x 50 array'];
    private const MOST_OPERATIONS = 64;
    private const FEWEST_BATCHES = 5;
    private const MOST_BATCHES = 50;

    /** See Peer::open(). */
    public function __construct(
        private readonly Peer $peer,
        private readonly string $store,
        private readonly ?string $connection,
        #[\SensitiveParameter]
        private readonly string $dsn,
        private readonly string $path,
        private readonly int $milliseconds,
    ) {}

    public function name(): string
    {
        return rtrim(\sprintf('%s, %s %s', $this->peer->value, $this->store, $this->connection));
    }

    public function subjects(): array
    {
        $subjects = [];
        foreach (self::VALUES as $value) {
            foreach (['get', 'set'] as $operation) {
                $subjects[] = Peers::subject(
                    $this->peer,
                    $this->store,
                    $this->connection,
                    Value::all()[$value],
                    $operation,
                );
            }
        }

        return $subjects;
    }

    public function run(\Closure $tell): void
    {
        $cache = $this->peer->open($this->store, $this->dsn, $this->path);
        $timer = new Timer(mostTimes: self::MOST_OPERATIONS);
        foreach (self::VALUES as $name) {
            $value = Value::all()[$name];
            foreach (['get', 'set'] as $operation) {
                $subject = Peers::subject($this->peer, $this->store, $this->connection, $value, $operation);

                try {
                    $loop = new KeyLoop($cache, $operation === 'set', $value->make(...));
                    $tell(new Sample(
                        $subject,
                        Statistics::median($timer->measureFor(
                            $loop,
                            1_000_000 * $this->milliseconds,
                            self::FEWEST_BATCHES,
                            self::MOST_BATCHES,
                        )),
                    ));
                } catch (WrongResults $wrong) {
                    $tell(Sample::failed($subject, $wrong->getMessage(), $wrong->operations));
                }
            }
        }
    }
}
