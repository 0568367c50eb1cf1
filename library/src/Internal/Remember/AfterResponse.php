<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

/**
 * Work to do after the response, which only FPM can: fastcgi_finish_request() ends it there, after all shutdown
 * functions of the program, and after its session is written, which would block the visitor's next request.
 */
final class AfterResponse
{
    /** @var list<\Closure(): mixed> */
    private array $works = [];

    /** The arguments are not to be given: see Larder\Process\Pid. */
    public static function isPossible(
        string $byFpm = 'fastcgi_finish_request',
        string $atEnd = 'register_shutdown_function',
    ): bool {
        return \PHP_SAPI === 'fpm-fcgi' && \function_exists($byFpm) && \function_exists($atEnd);
    }

    /** @param \Closure(): mixed $work */
    public function add(\Closure $work): void
    {
        $this->works[] = $work;
        if (\count($this->works) === 1) {
            // A shutdown function that another one registers runs after all others.
            register_shutdown_function(static fn(\Closure $last) => register_shutdown_function($last), $this->run(...));
        }
    }

    /** The arguments are not to be given: see Larder\Process\Pid. */
    private function run(string $bySession = 'session_status', string $end = 'session_write_close'): void
    {
        if (\function_exists($bySession) && \function_exists($end) && session_status() === \PHP_SESSION_ACTIVE) {
            session_write_close();
        }
        fastcgi_finish_request();
        $works = $this->works;
        $this->works = [];
        $thrown = null;
        foreach ($works as $work) {
            try {
                $work();
            } catch (\Throwable $throwable) {
                $thrown ??= $throwable;
            }
        }
        if ($thrown !== null) {
            throw $thrown;
        }
    }
}
