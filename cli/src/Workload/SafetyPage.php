<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Exception\CacheException;

/** One request of Safety: a worker of PHP-FPM that reads and writes until a given time. */
final class SafetyPage
{
    /** The name of the FastCGI parameter with the job. */
    public const JOB = 'LARDER_JOB';

    public static function serve(): void
    {
        /** @var array{address: string, writer: int, until: int} $job */
        $job = json_decode(
            \is_string($_SERVER[self::JOB] ?? null) ? $_SERVER[self::JOB] : '',
            true,
            flags: \JSON_THROW_ON_ERROR,
        );

        try {
            $witness = new ConsistencyChecker(Stores::open($job['address']), $job['writer']);
            if ($job['writer'] === 0) {
                $witness->fill();
            } else {
                $witness->run($job['until']);
            }
            $answer = get_object_vars($witness);
        } catch (CacheException $unavailable) {
            $answer = ['unavailable' => $unavailable->getMessage()];
        }
        echo json_encode($answer, \JSON_THROW_ON_ERROR);
    }
}
