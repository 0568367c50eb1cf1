<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Compare\Operation;
use Larder\Cli\Compare\PublishedCounterpart;
use Larder\Cli\Compare\Value;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Published;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class PublishedTest extends TestCase
{
    /** @param array<string, string> $settings */
    #[TestWith(['apcu', null, '10b', Operation::Get, 250.0])]
    #[TestWith(['shmop', null, '128k', Operation::Get, 6_290.0])]
    #[TestWith(['memcache', 'socket', '64k', Operation::Get, 140_710.0])]
    #[TestWith(['memcached', 'tcp', 'array of 4', Operation::Get, 25_780.0])]
    #[TestWith(['mysql-memory', 'tcp', '1k', Operation::Get, 33_100.0])]
    #[TestWith(['file', 'disk', '1k', Operation::Get, 5_460.0])]
    #[TestWith(['php-file', 'disk', '1k', Operation::Get, 1_870.0])]
    #[TestWith(['memcached', 'socket', '50 x 50 array', Operation::Set, 598_000.0])]
    #[TestWith(['redis', 'tcp', '50 x 50 array', Operation::Get, 697_000.0])]
    #[TestWith(['predis', 'tcp', '50 x 50 array', Operation::Set, 39_730_000.0])]
    #[TestWith(['larder', null, '10b', Operation::Get, null])]
    #[TestWith(['memcached', 'socket', '10b', Operation::Get, null])]
    #[TestWith(['apcu', null, '10b', Operation::Set, null])]
    #[TestWith(['file', 'tmpfs', '1k', Operation::Get, null])]
    #[TestWith(['php-file', 'disk', '1k', Operation::Get, null, ['php' => 'no opcache']])]
    public function testPublishedFigureIsOfTheSameStoreAndOperation(
        string $store,
        ?string $connection,
        string $value,
        Operation $operation,
        ?float $nanoseconds,
        array $settings = [],
    ): void {
        $subject = new Subject('compare', $store, $connection, $value, null, $operation->value, settings: $settings);
        $published = (new PublishedCounterpart(Published::load()))->of($subject)?->figure;
        if ($nanoseconds === null) {
            self::assertNull($published);
        } else {
            self::assertEqualsWithDelta($nanoseconds, $published, 0.5);
        }
    }

    public function testEveryReadOfThe2013StudyIsShown(): void
    {
        /** @var array{rows: list<array{study: string}>} $data */
        $data = json_decode((string) file_get_contents(\dirname(__DIR__, 2) . '/data/published.json'), true);
        $published = new PublishedCounterpart(Published::load());
        $found = 0;
        $engines = [
            'apcu' => [null], 'shmop' => [null], 'memcache' => ['socket', 'tcp'], 'memcached' => ['tcp'],
            'mysql-myisam' => ['tcp'], 'mysql-memory' => ['tcp'], 'file' => ['disk'], 'php-file' => ['disk'],
        ];
        foreach ($engines as $store => $connections) {
            foreach ($connections as $connection) {
                foreach (Value::all() as $value) {
                    $found += (int) ($published->of(
                        new Subject('compare', $store, $connection, $value->name, null, 'get'),
                    )?->study === '2013');
                }
            }
        }
        self::assertSame(
            \count(array_filter($data['rows'], static fn(array $row): bool => $row['study'] === '2013')),
            $found,
        );
    }
}
