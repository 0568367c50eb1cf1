<?php

declare(strict_types=1);

namespace Larder\Internal\Http;

/**
 * Headers that an application sends by PHP's own functions while it builds a response: a session, a cookie, a refusal.
 *
 * After the headers are sent, as when PHP-FPM renews a stale response, PHP sends none of these and only warns. That is
 * noticed, unless the application has since put its own error handler in front.
 */
final class NativeHeaders
{
    private const REFUSAL = '~^(Set-Cookie2?\s*:|X-Accel-Expires\s*:\s*0\s*$'
        . '|(CDN-Cache|Cache|Surrogate)-Control\s*:.*\b(private|no-store|no-cache)\b)~i';
    /** The names of responses come from PSR-7 alone. PHP's compression is no matter, as it comes later. */
    private const VARIES = '~^Vary\s*:(?!\s*(Accept-Encoding)?\s*$)~i';

    private bool $isTooLate = false;

    /** @var (\Closure(int, string, string, int): bool)|null of errors, if the headers were sent before */
    private ?\Closure $handler = null;

    private function __construct(private readonly bool $wereSent) {}

    public static function watch(): self
    {
        $watch = new self(headers_sent());
        if ($watch->wereSent) {
            $before = set_error_handler(null);
            restore_error_handler();
            $watch->handler = static function (int $level, string $message, mixed ...$at) use ($watch, $before): bool {
                $isLate = preg_match('~headers (have )?already (been )?sent~', $message) === 1;
                $watch->isTooLate = $watch->isTooLate || $isLate;

                return $before !== null && $before($level, $message, ...$at) !== false;
            };
            set_error_handler($watch->handler);
        }

        return $watch;
    }

    public function end(): void
    {
        if ($this->handler !== null) {
            $last = set_error_handler(null);
            restore_error_handler();
            if ($last === $this->handler) {
                restore_error_handler();
            } else {
                $this->handler = null;
            }
        }
    }

    /**
     * @param string $bySession not to be given: see Larder\Process\Pid
     * @return bool|null true if there were none; null if that cannot be known
     */
    public function areClean(string $bySession = 'session_id'): ?bool
    {
        $hasSession = \function_exists($bySession) && session_id() !== '';
        if ($this->isTooLate || $hasSession || preg_grep(self::REFUSAL, headers_list()) !== []) {
            return false;
        }
        if (!$this->wereSent && preg_grep(self::VARIES, headers_list()) !== []) { // else it is the earlier response's
            return false;
        }

        return $this->handler === null && headers_sent() ? null : true;
    }
}
