--TEST--
A fetched value is kept in a session
--EXTENSIONS--
session
--INI--
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$directory = sys_get_temp_dir();
session_save_path($directory);
session_id('larder' . bin2hex(random_bytes(8)));
@session_name(stored('word'));
ini_set('session.serialize_handler', 'php_serialize');
session_start();
$_SESSION['rows'] = stored('rows');
$_SESSION[stored('word')] = stored('text');
$_SESSION['rows'][0]['name'] .= '!';
session_write_close();
session_start();
$_SESSION['rows'][1]['tags'][] = stored('map');
$_SESSION[stored('text')][] = stored('list');
session_encode();
session_regenerate_id(true);
session_reset();
session_write_close();
session_start();
session_destroy();
session_set_save_handler(new class () implements SessionHandlerInterface, SessionIdInterface, SessionUpdateTimestampHandlerInterface {
    public function create_sid(): string
    {
        return bin2hex(random_bytes(16));
    }

    public function validateId(string $id): bool
    {
        return true;
    }

    public function updateTimestamp(string $id, string $data): bool
    {
        return true;
    }

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
        return serialize(stored('map'));
    }

    public function write(string $id, string $data): bool
    {
        return true;
    }

    public function destroy(string $id): bool
    {
        return true;
    }

    public function gc(int $lifetime): int
    {
        return 0;
    }
});
session_id(stored('word'));
session_start();
$_SESSION['alpha'][] = stored('rows');
$_SESSION['left to the end'] = stored('rows');

unchanged();
?>
--EXPECT--
unchanged
