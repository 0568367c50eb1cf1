<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;

/**
 * The reads of one store, one a request. The page measures the time around the read, and reports it with the MD5 of the
 * value. As in the study of 2008, the first ten requests are discarded and the figure is the mean of the next ten.
 */
final class ReadPerRequestBlock implements Block
{
    public const DISCARDED = 10;
    public const COUNTED = 10;

    private ?HttpConnection $connection = null;

    /** @param non-empty-list<array{Page, Subject, string}> $pages each with the MD5 of its value */
    public function __construct(
        private readonly string $name,
        private readonly Site $site,
        private readonly array $pages,
    ) {}

    public function name(): string
    {
        return $this->name;
    }

    public function subjects(): array
    {
        return array_column($this->pages, 1);
    }

    public function run(\Closure $tell): void
    {
        foreach ($this->pages as [$page, $subject, $md5]) {
            try {
                $this->connection = HttpConnection::open($this->site->port);
                $tell($this->sample($this->connection, $page, $subject, $md5));
            } catch (HttpFailed $failed) {
                $tell(Sample::failed($subject, $failed->getMessage()));
            }
            $this->stop();
        }
    }

    public function stop(): void
    {
        $this->connection?->close();
        $this->connection = null;
    }

    /** @throws HttpFailed */
    private function sample(HttpConnection $connection, Page $page, Subject $subject, string $md5): Sample
    {
        $sum = 0;
        for ($i = 0; $i < self::DISCARDED + self::COUNTED; ++$i) {
            $answer = $connection->get($page->path());
            if ($answer->status !== 200 || preg_match('/^(\d+) ([0-9a-f]{32})$/D', $answer->body, $told) !== 1) {
                return Sample::failed(
                    $subject,
                    \sprintf('status %d: %s', $answer->status, substr(trim(strip_tags($answer->body)), 0, 200)),
                );
            }
            if ($told[2] !== $md5) {
                return Sample::failed($subject, 'loses or changes the value');
            }
            $sum += $i < self::DISCARDED ? 0 : (int) $told[1];
        }

        return new Sample($subject, $sum / self::COUNTED);
    }
}
