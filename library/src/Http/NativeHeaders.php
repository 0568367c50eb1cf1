<?php

declare(strict_types=1);

namespace Larder\Http;

/**
 * What an application sends past PSR-7, by PHP's own functions, while it makes a response: a session, a cookie or a refusal.
 *
 * After the headers were sent, as when a stale response is made again under PHP-FPM, PHP sends none of it and tells so by a
 * warning only. That is noticed, unless the application has meanwhile put its own error handler in front.
 */
final class NativeHeaders
{
    private const REFUSAL = '~^(Set-Cookie2?\s*:|(CDN-Cache|Cache|Surrogate)-Control\s*:.*\b(private|no-store|no-cache)\b|X-Accel-Expires\s*:\s*0\s*$)~i';
    /** The name of what is kept follows from PSR-7 alone. Not that of the compression that PHP does afterwards. */
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
            $watch->handler = static function (int $level, string $message, string $file = '', int $line = 0) use ($watch, $before): bool {
                $watch->isTooLate = $watch->isTooLate || preg_match('~headers (have )?already (been )?sent~', $message) === 1;

                return $before !== null && $before($level, $message, $file, $line) !== false;
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

    /** @return bool|null whether there was nothing of that; null if it cannot be known */
    public function areClean(): ?bool
    {
        if ($this->isTooLate || (\function_exists('session_id') && session_id() !== '') || preg_grep(self::REFUSAL, headers_list()) !== []) {
            return false;
        }
        if (!$this->wereSent && preg_grep(self::VARIES, headers_list()) !== []) { // else it is that of the response before
            return false;
        }

        return $this->handler === null && headers_sent() ? null : true;
    }
}
