--TEST--
apcu_entry() in a session handler after a fatal error does not wait for the call that the error cut short
--EXTENSIONS--
session
--INI--
apc.enable_cli=1
larder.segment=entry-after-the-end
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
final class Handler implements SessionHandlerInterface
{
    public function open(string $path, string $name): bool
    {
        return true;
    }

    public function close(): bool
    {
        return true;
    }

    public function read(string $id): string
    {
        return '';
    }

    public function write(string $id, string $data): bool
    {
        echo apcu_entry('suspended', fn() => "computed\n");

        return true;
    }

    public function destroy(string $id): bool
    {
        return true;
    }

    public function gc(int $seconds): int
    {
        return 0;
    }

    public function create_sid(): string // PHP 8.6 warns without this and the next
    {
        return session_create_id();
    }

    public function validateId(string $id): bool
    {
        return true;
    }
}

apcu_clear_cache();
session_set_save_handler(new Handler(), false); // PHP itself closes it, after the module apcu has ended the request
session_start();
$fiber = new Fiber(fn() => apcu_entry('suspended', fn() => Fiber::suspend()));
$fiber->start();
ini_set('display_errors', '0');
file_put_contents('php://stdout', "fatal error\n");
trigger_error('the end', E_USER_ERROR);
?>
--EXPECT--
fatal error
computed
