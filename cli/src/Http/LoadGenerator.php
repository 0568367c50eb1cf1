<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

/**
 * Requests several pages of a web server in turns, over persistent connections. The order is shuffled for each round of
 * turns. So a machine that changes its speed affects all pages alike; separate runs of hey or wrk would not.
 *
 * Without concurrency, a turn is one request. With concurrency, it is as many requests for one page, and ends when all
 * are answered. If requests for different pages ran together, each would wait for the others, and all pages would look
 * alike.
 */
final class LoadGenerator
{
    private const SILENT_SECONDS = 20;

    /** Rounds of turns before the measured ones. */
    private const WARM_UP = 3;

    /** @var list<HttpConnection> */
    private array $connections = [];

    /**
     * @param positive-int $concurrency requests under way at a time
     * @param positive-int $turnRequests requests of a turn
     */
    public function __construct(
        private readonly int $port,
        private readonly int $concurrency,
        private readonly int $turnRequests,
    ) {}

    /**
     * @param array<string, string> $pages the expected body by path
     * @param int $rounds turns of each page
     * @return list<PageLoad>
     */
    public function run(array $pages, int $rounds): array
    {
        gc_disable(); // a garbage collection would be counted to one page at random
        $loads = [];
        foreach ($pages as $path => $body) {
            $loads[] = new PageLoad($path, $body);
            $ignored = new PageLoad($path, $body);
            for ($i = 0; $i < self::WARM_UP; ++$i) {
                $this->turn($ignored);
            }
        }
        $order = $loads;
        for ($round = 0; $round < $rounds; ++$round) {
            shuffle($order);
            foreach ($order as $load) {
                $this->turn($load);
            }
        }

        return $loads;
    }

    private function turn(PageLoad $page): void
    {
        try {
            $this->connect();
            [$nanoseconds, $answers] = $this->ask($page->path);
        } catch (HttpFailed $failed) {
            $page->addFailure($failed->getMessage());
            array_map(static fn(HttpConnection $connection) => $connection->close(), $this->connections);
            $this->connections = [];

            return;
        }
        $page->addTurn($nanoseconds / $this->turnRequests);
        foreach ($answers as [$bytes, $time]) {
            $page->addAnswer($bytes, $time);
        }
    }

    /** @throws HttpFailed */
    private function connect(): void
    {
        while (\count($this->connections) < $this->concurrency) {
            $this->connections[] = HttpConnection::open($this->port);
        }
    }

    /**
     * The answers are kept, and checked after the clock has stopped.
     *
     * @return array{int, list<array{string, int}>} nanoseconds in all; each answer, and nanoseconds that it took
     * @throws HttpFailed
     */
    private function ask(string $path): array
    {
        $answers = $sent = $streams = [];
        $toSend = $this->turnRequests;
        $start = hrtime(true);
        foreach ($this->connections as $i => $connection) {
            if ($toSend-- === 0) {
                break;
            }
            $sent[$i] = hrtime(true);
            $streams[$i] = $connection->stream;
            $connection->send($path);
        }
        while ($streams !== []) {
            $ready = $streams;
            $write = $except = null;
            if ((int) stream_select($ready, $write, $except, self::SILENT_SECONDS) === 0) {
                throw new HttpFailed(\sprintf('no answer within %d s', self::SILENT_SECONDS));
            }
            foreach (array_keys($ready) as $i) {
                $connection = $this->connections[$i];
                if (!$connection->receive()) {
                    continue;
                }
                $now = hrtime(true);
                $answers[] = [$connection->received(), $now - $sent[$i]];
                if ($toSend-- > 0) {
                    $sent[$i] = $now;
                    $connection->send($path);
                } else {
                    unset($streams[$i]);
                }
            }
        }

        return [hrtime(true) - $start, $answers];
    }
}
