<?php

declare(strict_types=1);

/*
 * Run by PHP-FPM in PhpFileTest. ?do=… says what; the answer is JSON. The "plain" ways are the control: a file of PHP
 * code at one path, written and included as PHP users do by hand.
 */

use Larder\Internal\Driver\PhpFile\PhpFileStore;

require __DIR__ . '/../../../../../vendor/autoload.php';

/** @var array<string, string> $_GET */
$store = new PhpFileStore($_GET['directory']);
$plain = $_GET['directory'] . '/plain-';

$setPlain = static function (string $key, mixed $value) use ($plain): void {
    file_put_contents($plain . 'new', '<?php return ' . var_export($value, true) . ';');
    touch($plain . 'new', time() - 60);
    rename($plain . 'new', $plain . $key . '.php');
};

/** @return array<string, int> */
$opcache = static function () use ($store): array {
    /** @var array{opcache_statistics: array<string, int>} $status */
    $status = opcache_get_status(false);

    return [...(array) $store->opcacheMemory(), ...$status['opcache_statistics']];
};

echo json_encode(match ($_GET['do']) {
    'set' => $store->set('k', $_GET['value']),
    'get' => [$store->get('k'), getmypid()],
    'set plain' => $setPlain('k', $_GET['value']),
    'get plain' => [include $plain . 'k.php', getmypid()],
    'memory' => $opcache(),
    'churn' => (static function () use ($store, $opcache): array {
        $wrong = 0;
        for ($round = 0; $round < 20; ++$round) {
            for ($i = 0; $i < 100; ++$i) {
                $value = [$round, $i, base64_encode(random_bytes(4000))];
                $store->set('key ' . $i, $value);
                $wrong += $store->get('key ' . $i) === $value && $store->get('key ' . $i) === $value ? 0 : 1;
            }
        }

        return ['wrong' => $wrong] + $opcache();
    })(),
    'churn plain' => (static function () use ($setPlain, $plain, $opcache): array {
        for ($round = 0; $round < 20; ++$round) {
            for ($i = 0; $i < 100; ++$i) {
                $setPlain((string) $i, [$round, $i, base64_encode(random_bytes(4000))]);
                opcache_invalidate($plain . $i . '.php', true);
                include $plain . $i . '.php';
            }
        }

        return $opcache();
    })(),
    'rows' => (static function () use ($store, $opcache): array {
        $wrong = 0;
        for ($set = 0; $set < 120; ++$set) {
            $rows = array_map(
                static fn(int $i): array => ['id' => $i, 'name' => "product $i of $set", 'code' => md5("$set $i")],
                range(1, 300),
            );
            $store->set('rows', $rows);
            $wrong += $store->get('rows') === $rows ? 0 : 1;
        }

        return ['wrong' => $wrong] + $opcache();
    })(),
    'rows plain' => (static function () use ($setPlain, $plain, $opcache): array {
        for ($set = 0; $set < 120; ++$set) {
            $setPlain(
                'rows',
                array_map(
                    static fn(int $i): array => ['id' => $i, 'name' => "product $i of $set", 'code' => md5("$set $i")],
                    range(1, 300),
                ),
            );
            opcache_invalidate($plain . 'rows.php', true);
            include $plain . 'rows.php';
        }

        return $opcache();
    })(),
    default => throw new UnexpectedValueException('what is ' . $_GET['do']),
}, JSON_THROW_ON_ERROR);
