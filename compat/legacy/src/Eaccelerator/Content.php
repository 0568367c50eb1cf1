<?php

declare(strict_types=1);

namespace Larder\Legacy\Eaccelerator;

use Larder\Legacy\Miss;
use Larder\Legacy\ServerVariables;

/** Pages, output and results that are kept instead of being made again. */
final class Content
{
    private static bool $isRecording = false;

    private static bool $hasThrown = false;

    public static function place(): Place
    {
        return Place::of(null, 'eaccelerator.content');
    }

    /** Prints the page and ends the request if it is there, else keeps what the request prints from now on. */
    public static function page(string $key, int $ttl): bool
    {
        if (self::place() === Place::None || self::$isRecording) {
            return false;
        }
        $page = Values::get($key, self::place());
        if (\is_array($page) && \is_string($page['content'] ?? null) && \is_array($page['headers'] ?? null)) {
            foreach ($page['headers'] as $header) {
                if (\is_string($header) && !headers_sent()) {
                    header($header, replace: false);
                }
            }
            echo self::isNotModified($page['content']) ? '' : $page['content'];
            exit;
        }
        $before = headers_list();
        self::$isRecording = ob_start(static fn(string $content, int $phase): string => self::keep($key, $ttl, $before, $content, $phase));
        self::watchExceptions();

        return self::$isRecording;
    }

    /** @param callable(): mixed $callback */
    public static function output(string $key, callable $callback, int $ttl): bool
    {
        if (self::place() === Place::None) {
            $callback();

            return false;
        }
        $content = Values::get($key, self::place());
        if (\is_string($content)) {
            echo $content;

            return true;
        }
        ob_start();

        try {
            $callback();
            $isKept = Values::put($key, (string) ob_get_contents(), $ttl, self::place());
        } finally {
            ob_end_flush();
        }

        return $isKept;
    }

    /** @param callable(): mixed $callback */
    public static function result(string $key, callable $callback, int $ttl): mixed
    {
        $value = self::place() === Place::None ? Miss::Here : Values::get($key, self::place());
        if ($value === Miss::Here) {
            $value = $callback();
            Values::put($key, $value, $ttl, self::place());
        }

        return $value;
    }

    /**
     * The handler of the output. Only a whole page is kept, without an error, that is not one visitor's.
     *
     * @param list<string> $before the headers that are not the page's
     */
    private static function keep(string $key, int $ttl, array $before, string $content, int $phase): string
    {
        self::$isRecording = false;
        $headers = array_values(array_diff(headers_list(), $before));
        $isWhole = $phase === (\PHP_OUTPUT_HANDLER_START | \PHP_OUTPUT_HANDLER_FINAL) && connection_aborted() === 0; // not flushed before, and not discarded
        if (!$isWhole || self::hasFailed() || self::isOfVisitor()) {
            return $content;
        }
        Values::put($key, ['content' => $content, 'headers' => $headers], $ttl, self::place());

        return self::isNotModified($content) ? '' : $content;
    }

    /** After a handler of the application, nothing else tells of the exception: the status is 200, and there is no last error. */
    private static function watchExceptions(): void
    {
        self::$hasThrown = false;
        $before = set_exception_handler(null);
        restore_exception_handler();
        if ($before !== null) {
            set_exception_handler(static function (\Throwable $error) use ($before): void {
                self::$hasThrown = true;
                $before($error);
            });
        }
    }

    /** Whether it is of a session, which not every application tells by a header, or compressed as one browser asked. */
    private static function isOfVisitor(): bool
    {
        return (\function_exists('session_id') && session_id() !== '')
            || preg_grep('/^(Set-Cookie2?|Content-Encoding)\s*:|^Cache-Control\s*:.*\b(private|no-store|no-cache)\b/i', headers_list()) !== [];
    }

    private static function hasFailed(): bool
    {
        $status = http_response_code();
        $error = error_get_last();

        return self::$hasThrown || ($status !== false && $status !== 200) || ($error !== null && ($error['type'] & (\E_ERROR | \E_PARSE | \E_CORE_ERROR | \E_COMPILE_ERROR | \E_USER_ERROR | \E_RECOVERABLE_ERROR)) !== 0);
    }

    /** Sends the ETag, and 304 if the browser has this content. */
    private static function isNotModified(string $content): bool
    {
        if (headers_sent()) {
            return false;
        }
        $tag = \sprintf('"eaccelerator-%u"', crc32($content));
        header("ETag: $tag");
        if (ServerVariables::get('HTTP_IF_NONE_MATCH') !== $tag) {
            return false;
        }
        http_response_code(304);

        return true;
    }
}
