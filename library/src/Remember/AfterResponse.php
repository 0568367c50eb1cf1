<?php

declare(strict_types=1);

namespace Larder\Remember;

/**
 * Work that is done when the visitor has the page. Only FPM can: there the response is ended by
 * fastcgi_finish_request(), after all shutdown functions that the program has, and after its session is written, which
 * would keep the visitor's next request waiting.
 */
final class AfterResponse
{
    /** @var list<\Closure(): mixed> */
    private array $works = [];

    public static function isPossible(): bool
    {
        return \PHP_SAPI === 'fpm-fcgi' && \function_exists('fastcgi_finish_request');
    }

    /** @param \Closure(): mixed $work */
    public function add(\Closure $work): void
    {
        $this->works[] = $work;
        if (\count($this->works) === 1) {
            // A shutdown function that is registered by one comes after all others.
            register_shutdown_function(static fn(\Closure $last) => register_shutdown_function($last), $this->run(...));
        }
    }

    private function run(): void
    {
        if (\function_exists('session_status') && session_status() === \PHP_SESSION_ACTIVE) {
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
